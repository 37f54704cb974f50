// The configuration reference, made from the schemas: docs/configuration.md is this text.
#pragma once
#include <string>
#include <vector>

#include "plugin_host/search.h"

namespace sz {

// Every key of the runtime's tables, then those of `plugins`, by name. Errors: Error(kPlugin).
std::string schema_markdown(const std::vector<std::string>& plugins, const SearchPath& search);

}  // namespace sz
