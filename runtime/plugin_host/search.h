// Where plugins are looked for. A plugin NAME is the file that plugins.NAME.path names, else the file NAME.so in the
// first folder that has it.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/config.h"

namespace sz {

// Folders in order, each with what named it: `plugins.search`, then SZ_PLUGIN_PATH (separated by ':'), then the folder
// ../plugins beside the executable, as in a build tree and in an installation.
struct SearchPath {
  struct Folder {
    std::string path;
    std::string origin;  // "plugins.search", "SZ_PLUGIN_PATH", "beside the executable"
  };
  std::vector<Folder> folders;
  std::map<std::string, std::string> files;  // by name: plugins.NAME.path

  static SearchPath of(const ConfigDocument& document);
  static SearchPath make(const std::vector<std::string>& configured);
};

struct FoundPlugin {
  std::string name, path;
};

// The file, which need not be there where plugins.NAME.path names it. Errors: Error(kPlugin) saying where it was looked
// for and, where a name is near, which one may be meant.
std::string find_plugin(const std::string& name, const SearchPath& search);

// Every plugin on the path, by name; of two of one name the first folder's.
std::vector<FoundPlugin> all_plugins(const SearchPath& search);

}  // namespace sz
