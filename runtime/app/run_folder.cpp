#include "app/run_folder.h"

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

RunFolder RunFolder::claim(const std::string& path, bool resume) {
  FileLock lock(path);
  if (!resume && holds_a_run(path)) {
    move_aside(path);
    lock = FileLock(path);
  }
  make_directories(path + "/logs");
  make_directories(path + "/checkpoints");
  return RunFolder(path, std::move(lock));
}

void RunFolder::write(const std::string& name, const std::string& text) const {
  write_file_atomically(path_ + "/" + name, text);
}

}  // namespace sz
