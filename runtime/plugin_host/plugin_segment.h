// A segment whose forward, and backward where it has one, are a plugin's.
#pragma once
#include <sz/services.h>

#include <memory>
#include <string>

#include "model/segment.h"

namespace sz {

class PluginInstance;

// `table` and `segment` live until the plugin is destroyed. Without a backward the plugin must need sz.torch/1, since
// autograd can only follow what was done with LibTorch: Error(kPlugin) otherwise.
std::shared_ptr<const Segment> make_plugin_segment(PluginInstance& plugin, const std::string& name,
                                                   const sz_segment* table, void* segment);

}  // namespace sz
