#include "plugin_host/plugin_precision.h"

#include <cmath>

#include "plugin_host/dtype_map.h"
#include "plugin_host/handles.h"
#include "plugin_host/plugin_facts.h"

namespace sz {
namespace {

bool is_float(uint8_t dtype) { return dtype <= SZ_BF16; }

// What residencies keep and optimizers read: masters in fp32, all else in fp32 or 16 bits.
DType served(uint8_t dtype, const char* what, const std::string& who) {
  const bool small = dtype == SZ_F32 || dtype == SZ_F16 || dtype == SZ_BF16;
  if (small) return to_dtype(dtype);
  const std::string name = dtype <= SZ_U8 ? name_of(to_dtype(dtype)) : "number " + std::to_string(dtype);
  throw Error(Exit::kPlugin, who + what + " is " + name + "; it must be fp32, fp16 or bf16");
}

ParameterDtypes to_dtypes(const sz_parameter_dtypes& from, const std::string& who) {
  const ParameterDtypes dtypes = {served(from.master, "master", who), served(from.compute, "compute", who),
                                  served(from.accumulate, "accumulate", who), served(from.wire, "wire", who)};
  if (dtypes.master == DType::kF32) return dtypes;
  throw Error(Exit::kPlugin, who + "master is " + name_of(dtypes.master) + "; masters are fp32");
}

SegmentDtypes to_dtypes(const sz_segment_dtypes& from, const std::string& who) {
  if (!is_float(from.activation)) throw Error(Exit::kPlugin, who + "an activation's element type isn't a floating one");
  if (from.autocast > SZ_AUTOCAST_F16) throw Error(Exit::kPlugin, who + "a segment's autocast is unknown");
  return {to_dtype(from.activation), from.autocast != SZ_AUTOCAST_NONE,
          from.autocast == SZ_AUTOCAST_F16 ? DType::kF16 : DType::kBF16};
}

}  // namespace

PluginPrecision::PluginPrecision(PluginInstance& plugin, Stateful* state)
    : plugin_(plugin), table_(plugin.extension<sz_precision>(SZ_PRECISION)), state_(state) {
  if (!table_->plan || !table_->scale || !table_->judge) {
    throw Error(Exit::kPlugin, "plugin '" + plugin.id() + "': sz.precision/1 lacks one of its functions");
  }
}

DtypePlan PluginPrecision::plan(const ModelDeclaration& model) {
  std::vector<sz_parameter_dtypes> parameters(model.parameters.size(), {SZ_F32, SZ_F32, SZ_F32, SZ_F32});
  std::vector<sz_segment_dtypes> segments(model.segments.size(), {SZ_F32, 0, {0, 0}});
  const auto* handle = to_handle(const_cast<ModelDeclaration*>(&model));  // const again in the plugin
  check(table_->plan(plugin_.self(), handle, parameters.data(), segments.data()), plugin_.id(), "precision plan");
  const std::string who = "plugin '" + plugin_.id() + "': precision plan: ";
  DtypePlan plan;
  for (size_t p = 0; p < parameters.size(); ++p) {
    plan.parameters.push_back(to_dtypes(parameters[p], who + "parameter '" + model.parameters[p].name + "': "));
  }
  for (const sz_segment_dtypes& from : segments) plan.segments.push_back(to_dtypes(from, who));
  return plan;
}

double PluginPrecision::scale() const {
  const double scale = table_->scale(plugin_.self());
  if (std::isfinite(scale) && scale > 0) return scale;
  throw Error(Exit::kPlugin, "plugin '" + plugin_.id() + "': its loss scale " + std::to_string(scale) +
                                 " isn't a positive number");
}

Vote PluginPrecision::judge(const StepFacts& facts) {
  return ask(table_->judge, plugin_.self(), facts, plugin_.id());
}

}  // namespace sz
