#include "plugin_host/search.h"

#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/text.h"

namespace sz {
namespace {

namespace fs = std::filesystem;

void add_environment(std::vector<SearchPath::Folder>& folders) {
  const char* value = std::getenv("SZ_PLUGIN_PATH");
  if (!value) return;
  const std::string list = value;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(':', begin), list.size());
    if (end > begin) folders.push_back({list.substr(begin, end - begin), "SZ_PLUGIN_PATH"});
    begin = end + 1;
  }
}

}  // namespace

SearchPath SearchPath::of(const ConfigDocument& document) {
  SearchPath search = make(document.string_list_at("plugins.search"));
  for (const std::string& name : document.plugins()) {
    if (const auto path = document.string_at("plugins." + name + ".path")) search.files[name] = *path;
  }
  return search;
}

SearchPath SearchPath::make(const std::vector<std::string>& configured) {
  SearchPath search;
  for (const std::string& folder : configured) search.folders.push_back({folder, "plugins.search"});
  add_environment(search.folders);
  std::error_code failed;
  const fs::path executable = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) {
    const fs::path beside = executable.parent_path().parent_path() / "plugins";
    search.folders.push_back({beside.string(), "beside the executable"});
  }
  return search;
}

std::string find_plugin(const std::string& name, const SearchPath& search) {
  if (const auto named = search.files.find(name); named != search.files.end()) return named->second;
  std::string looked;
  for (const SearchPath::Folder& folder : search.folders) {
    const fs::path candidate = fs::path(folder.path) / (name + ".so");
    std::error_code failed;
    if (fs::exists(candidate, failed)) return candidate.string();
    looked += "\n  looked for " + candidate.string() + " (" + folder.origin + ")";
  }
  std::vector<std::string> names;
  for (const FoundPlugin& plugin : all_plugins(search)) names.push_back(plugin.name);
  std::string message = "plugin '" + name + "' not found";
  if (const auto near = did_you_mean(name, names)) message += "; did you mean '" + *near + "'?";
  message += "; set plugins." + name + ".path, or add its folder to plugins.search or SZ_PLUGIN_PATH" + looked;
  throw Error(Exit::kPlugin, message);
}

std::vector<FoundPlugin> all_plugins(const SearchPath& search) {
  std::map<std::string, std::string> found = search.files;
  for (const SearchPath::Folder& folder : search.folders) {
    std::error_code failed;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder.path, failed)) {
      if (entry.path().extension() == ".so") found.emplace(entry.path().stem().string(), entry.path().string());
    }
  }
  std::vector<FoundPlugin> plugins;
  for (const auto& [name, path] : found) plugins.push_back({name, path});
  return plugins;
}

}  // namespace sz
