#include "app/run_folder.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <vector>

#include "base/log.h"

namespace sz {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLock = ".lock";

bool is_there(const fs::path& path) {
  std::error_code unknown;
  return fs::exists(path, unknown);
}

bool holds_a_run(const std::string& path) {
  return is_there(path + "/config.toml") || is_there(path + "/metrics.jsonl") || is_there(path + "/checkpoints");
}

std::vector<fs::path> entries_of(const std::string& path) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    entries.push_back(it->path());
  }
  return entries;
}

bool is_bare(const std::string& path) {
  const std::vector<fs::path> entries = entries_of(path);
  return std::all_of(entries.begin(), entries.end(), [](const fs::path& entry) { return entry.filename() == kLock; });
}

// The outermost folder of `path` that is still to be made; "" where all are there.
std::string outermost_missing(const fs::path& path) {
  if (is_there(path)) return "";
  fs::path missing = path;
  while (missing.has_parent_path() && !is_there(missing.parent_path())) missing = missing.parent_path();
  return missing.string();
}

// Said before anything is prepared for a run that could not be written.
void check_place(const std::string& path) {
  fs::path nearest = fs::path(outermost_missing(path)).parent_path();
  if (is_there(path)) nearest = path;
  if (nearest.empty()) nearest = ".";
  std::error_code unknown;
  if (!fs::is_directory(nearest, unknown)) throw io_error("make the folder", path, ENOTDIR);
  if (::access(nearest.c_str(), W_OK | X_OK) != 0) throw io_error("make the folder", path, errno);
}

std::string move_aside(const std::string& path) {
  int k = 1;
  while (is_there(path + "." + std::to_string(k))) ++k;
  const std::string to = path + "." + std::to_string(k);
  std::error_code error;
  fs::rename(path, to, error);
  if (error) throw io_error("move the earlier run aside from", path, error.value());
  return to;
}

}  // namespace

std::unique_ptr<RunFolder> RunFolder::claim(const std::string& path) {
  std::unique_ptr<RunFolder> folder(new RunFolder(path));
  check_place(path);
  if (is_there(path + "/" + kLock)) folder->lock_.emplace(path);
  return folder;
}

RunFolder::~RunFolder() {
  if (!kept_) take_back();
}

void RunFolder::begin(bool continues) {
  if (!continues) first_made_ = outermost_missing(path_);
  if (!lock_) lock_.emplace(path_);
  if (!continues) {
    ours_ = is_bare(path_);
    if (holds_a_run(path_)) {
      aside_ = move_aside(path_);
      ours_ = true;
      lock_.emplace(path_);
    }
  }
  make_directories(path_ + "/logs");
  make_directories(path_ + "/checkpoints");
}

void RunFolder::keep() {
  kept_ = true;
  if (aside_.empty()) return;
  log::info("an earlier run in " + path_ + " was moved to " + aside_ + " (--resume auto goes on with it)");
}

// Other runs may have come to the outer folders: those go only where they are empty.
void RunFolder::take_back() noexcept try {
  std::error_code error;
  if (ours_) {
    for (const fs::path& entry : entries_of(path_)) fs::remove_all(entry, error);
  }
  if (!first_made_.empty()) {
    for (fs::path made = path_; fs::remove(made, error) && made != first_made_;) made = made.parent_path();
  }
  if (aside_.empty()) return;
  fs::remove(path_, error);
  fs::rename(aside_, path_, error);
  if (error) log::warn("an earlier run in " + path_ + " is now in " + aside_ + ": " + error.message());
} catch (const std::exception& e) {
  log::warn("cannot tidy " + path_ + ": " + e.what());
}

bool lies_in(const std::string& checkpoint, const std::string& path) {
  const fs::path inside = fs::weakly_canonical(checkpoint), folder = fs::weakly_canonical(path);
  return std::mismatch(folder.begin(), folder.end(), inside.begin(), inside.end()).first == folder.end();
}

void RunFolder::write(const std::string& name, const std::string& text) const {
  write_file_atomically(path_ + "/" + name, text);
}

}  // namespace sz
