#include "app/run_folder.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "base/log.h"

namespace sz {
namespace {

namespace fs = std::filesystem;

bool holds_a_run(const std::string& path) {
  return fs::exists(path + "/config.toml") || fs::exists(path + "/metrics.jsonl") || fs::exists(path + "/checkpoints");
}

void move_aside(const std::string& path) {
  int k = 1;
  while (fs::exists(path + "." + std::to_string(k))) ++k;
  const std::string to = path + "." + std::to_string(k);
  std::error_code error;
  fs::rename(path, to, error);
  if (error) throw io_error("move the earlier run aside from", path, error.value());
  log::info("an earlier run in " + path + " was moved to " + to + " (--resume auto goes on with it)");
}

}  // namespace

RunFolder RunFolder::claim(const std::string& path) { return RunFolder(path, FileLock(path)); }

void RunFolder::begin(bool continues) {
  if (!continues && holds_a_run(path_)) {
    move_aside(path_);
    lock_ = FileLock(path_);
  }
  make_directories(path_ + "/logs");
  make_directories(path_ + "/checkpoints");
}

bool lies_in(const std::string& checkpoint, const std::string& path) {
  const fs::path inside = fs::weakly_canonical(checkpoint), folder = fs::weakly_canonical(path);
  return std::mismatch(folder.begin(), folder.end(), inside.begin(), inside.end()).first == folder.end();
}

void RunFolder::write(const std::string& name, const std::string& text) const {
  write_file_atomically(path_ + "/" + name, text);
}

}  // namespace sz
