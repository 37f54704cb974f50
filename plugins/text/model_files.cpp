#include "text/model_files.h"

#include <fstream>
#include <iterator>

#ifndef SZ_MODELS
#define SZ_MODELS ".deps/models"
#endif

namespace sz::text {

std::string models_folder(const std::string& configured) { return configured.empty() ? SZ_MODELS : configured; }

void missing_model(const std::string& path, const std::string& what) {
  throw ModelError(what + " is not in " + path + ": run ./scripts/setup.sh, which installs it, or name the folder " +
                   "that has it with the key 'models'");
}

std::string read_model(const std::string& path, const std::string& what) {
  std::ifstream file(path, std::ios::binary);
  if (!file) missing_model(path, what);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) throw ModelError(what + " in " + path + " can't be read");
  return bytes;
}

}  // namespace sz::text
