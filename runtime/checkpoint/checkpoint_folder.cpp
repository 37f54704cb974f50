// Which checkpoints there are, which to resume from, which to remove.
#include <algorithm>
#include <filesystem>
#include <set>

#include "base/files.h"
#include "base/log.h"
#include "checkpoint/layout.h"
#include "checkpoint/manifest.h"

namespace sz {

namespace fs = std::filesystem;

namespace {

// What a folder's name says: step-N, step-N.tmp or step-N.old.
struct Entry {
  std::string folder;
  int64_t step;
  std::string suffix;
};

bool take_suffix(std::string& text, const std::string& suffix) {
  if (!text.ends_with(suffix)) return false;
  text.resize(text.size() - suffix.size());
  return true;
}

std::vector<Entry> scan(const std::string& root) {
  std::vector<Entry> entries;
  std::error_code error;
  for (fs::directory_iterator it(root, error), end; !error && it != end; it.increment(error)) {
    Entry entry{it->path().string(), 0, ""};
    std::string name = it->path().filename().string();
    for (const char* suffix : {layout::kTemporary, layout::kReplaced}) {
      if (entry.suffix.empty() && take_suffix(name, suffix)) entry.suffix = suffix;
    }
    const std::optional<int64_t> step = layout::step_of(name);
    if (!step) continue;
    entry.step = *step;
    entries.push_back(entry);
  }
  if (error && error != std::errc::no_such_file_or_directory) throw io_error("read", root, error.value());
  return entries;
}

std::optional<CheckpointInfo> look_at(const Entry& entry) {
  try {
    const CheckpointManifest manifest = CheckpointManifest::load(entry.folder);
    if (manifest.step != entry.step) return std::nullopt;
    return CheckpointInfo{entry.folder, manifest.step, manifest.attempt, manifest.serial, manifest.ranks};
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Gives it a name that does not count before its files go, so that no half of one is ever taken for whole.
void remove_checkpoint(const std::string& folder) {
  std::error_code error;
  std::string temporary = folder;
  if (!folder.ends_with(layout::kTemporary)) {
    temporary += layout::kTemporary;
    fs::remove_all(temporary, error);
    fs::rename(folder, temporary, error);
    if (error) throw io_error("remove", folder, error.value());
  }
  fs::remove_all(temporary, error);
  if (error) throw io_error("remove", temporary, error.value());
}

struct Damaged {
  std::string folder, what;
};

// Those in `root` that are not even whole: no manifest, or files missing or short.
std::vector<Damaged> broken_ones(const std::string& root) {
  std::vector<Damaged> broken;
  for (const Entry& entry : scan(root)) {
    if (!entry.suffix.empty()) continue;
    try {
      const CheckpointManifest manifest = CheckpointManifest::load(entry.folder);
      if (manifest.step == entry.step) continue;
      broken.push_back({entry.folder, "is a copy of step " + std::to_string(manifest.step)});
    } catch (const Error& e) {
      broken.push_back({entry.folder, e.what()});
    }
  }
  return broken;
}

// Nothing tells a run that has lost all its checkpoints from a new one but this: it must not silently begin again.
[[noreturn]] void refuse_all(const std::string& root, const std::vector<Damaged>& damaged) {
  std::string text = "no checkpoint in " + root + " is whole; restore one from a copy, name another with --resume " +
                     "PATH, or train anew without --resume. Damaged:";
  for (const Damaged& one : damaged) text += "\n  " + one.folder + ": " + one.what;
  throw Error(Exit::kCorrupt, text);
}

// The newest checkpoint of `root` that passes verification, or "" where there is none at all. Errors: kCorrupt where
// all are damaged.
std::string newest_intact(const std::string& root) {
  std::vector<Damaged> damaged = broken_ones(root);
  const std::vector<CheckpointInfo> whole = list_checkpoints(root);
  std::string found;
  for (auto info = whole.rbegin(); info != whole.rend() && found.empty(); ++info) {
    try {
      CheckpointReader::open(info->folder).verify();
      found = info->folder;
    } catch (const Error& e) {
      damaged.push_back({info->folder, e.what()});
    }
  }
  if (found.empty() && !damaged.empty()) refuse_all(root, damaged);
  for (const Damaged& one : damaged) log::warn("passing over the damaged checkpoint " + one.folder + ": " + one.what);
  return found;
}

}  // namespace

std::vector<CheckpointInfo> list_checkpoints(const std::string& root) {
  std::vector<CheckpointInfo> whole;
  std::set<int64_t> replaced;  // steps whose folder stands under its own name
  const std::vector<Entry> entries = scan(root);
  for (const Entry& entry : entries) {
    if (!entry.suffix.empty()) continue;
    if (const auto info = look_at(entry)) {
      whole.push_back(*info);
      replaced.insert(entry.step);
    }
  }
  for (const Entry& entry : entries) {
    if (entry.suffix != layout::kReplaced || replaced.count(entry.step)) continue;
    if (const auto info = look_at(entry)) whole.push_back(*info);
  }
  std::sort(whole.begin(), whole.end(), [](const CheckpointInfo& a, const CheckpointInfo& b) {
    return std::pair(a.serial, a.step) < std::pair(b.serial, b.step);
  });
  return whole;
}

std::string find_resume(const std::string& root, const std::string& from) {
  if (from == "auto") return newest_intact(root);
  std::error_code error;
  if (!fs::is_directory(from, error)) {
    throw Error(Exit::kUsage, "cannot resume from " + from + ": no such folder; name a run folder or a step folder");
  }
  if (fs::exists(from + "/" + layout::kManifest, error)) {
    CheckpointReader::open(from).verify();
    return from;
  }
  std::string name = fs::path(from + "/").parent_path().filename().string();
  if (layout::step_of(name)) CheckpointManifest::load(from);  // a step folder without manifest: says what is wrong
  const std::string inner = from + "/checkpoints";
  const std::string found = newest_intact(fs::is_directory(inner, error) ? inner : from);
  if (found.empty()) throw Error(Exit::kUsage, "cannot resume from " + from + ": it holds no whole checkpoint");
  return found;
}

void prune_checkpoints(const std::string& root, int64_t keep) {
  SZ_ASSERT(keep >= 1);
  const std::vector<CheckpointInfo> whole = list_checkpoints(root);
  std::set<std::string> kept;
  for (size_t i = whole.size() - std::min(whole.size(), size_t(keep)); i < whole.size(); ++i) {
    kept.insert(whole[i].folder);
  }
  const bool enough = int64_t(kept.size()) == keep;
  for (const Entry& entry : scan(root)) {
    if (kept.count(entry.folder)) continue;
    // A damaged one is left for its owner to look at until enough whole ones stand beside it.
    if (entry.suffix.empty() && !enough) continue;
    remove_checkpoint(entry.folder);
  }
}

}  // namespace sz
