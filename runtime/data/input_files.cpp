#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>

#include "base/error.h"
#include "data/source.h"

namespace sz {
namespace fs = std::filesystem;
namespace {

bool is_text(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".txt" || extension == ".jsonl";
}

bool is_hidden(const fs::path& path) {
  const std::string name = path.filename().string();
  return !name.empty() && name[0] == '.';
}

InputFile stat_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    throw Error(Exit::kData, "data.paths: " + path + ": " + std::strerror(errno));
  }
  return {path, status.st_size, int64_t(status.st_mtim.tv_sec) * 1000000000 + status.st_mtim.tv_nsec};
}

std::vector<fs::path> entries_of(const std::string& folder) {
  std::vector<fs::path> entries;
  std::error_code code;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code)) {
    if (!is_hidden(entry->path())) {
      entries.push_back(entry->path());
    }
  }
  if (code) {
    throw Error(Exit::kData, "data.paths: " + folder + ": can't be listed: " + code.message());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

// What lies below a folder. Links are followed; whatever several of them lead to is taken once, so circles end.
class FolderWalk {
 public:
  void add(const std::string& folder) {
    if (!visited_.insert(fs::canonical(folder).string()).second) {
      return;
    }
    for (const fs::path& entry : entries_of(folder)) {
      std::error_code code;
      const fs::file_status status = fs::status(entry, code);
      if (fs::is_directory(status)) {
        add(entry.string());
      } else if (!fs::exists(status) || status.type() == fs::file_type::unknown) {
        // Else training would silently go without the text that the link stands for.
        throw Error(Exit::kData, "data.paths: " + entry.string() + " can't be followed: " + code.message() +
                                     "; mend the link or remove it");
      } else if (fs::is_regular_file(status) && is_text(entry)) {
        found_.push_back(entry.string());
      } else {
        ++skipped_;
      }
    }
  }

  std::vector<std::string> sorted() const {
    std::vector<std::string> files = found_;
    std::sort(files.begin(), files.end());
    return files;
  }
  int64_t skipped() const { return skipped_; }

 private:
  std::set<std::string> visited_;
  std::vector<std::string> found_;
  int64_t skipped_ = 0;  // of other kinds
};

}  // namespace

std::vector<InputFile> find_input_files(const std::vector<std::string>& paths, int64_t* skipped) {
  std::vector<InputFile> files;
  std::set<std::string> seen;
  int64_t others = 0;
  const auto add = [&](const std::string& path) {
    if (seen.insert(fs::canonical(path).string()).second) {
      files.push_back(stat_file(path));
    }
  };
  for (const std::string& path : paths) {
    std::error_code code;
    const fs::file_status status = fs::status(path, code);
    if (fs::is_directory(status)) {
      FolderWalk walk;
      walk.add(path);
      others += walk.skipped();
      for (const std::string& file : walk.sorted()) {
        add(file);
      }
    } else if (!fs::exists(status)) {
      throw Error(Exit::kData, "data.paths: " + path + ": no such file or folder (from " +
                                   fs::current_path().string() + ")");
    } else if (!is_text(path) || !fs::is_regular_file(status)) {
      throw Error(Exit::kData,
                  "data.paths: " + path + ": only .txt and .jsonl files can be read; rename or convert it");
    } else {
      add(path);
    }
  }
  if (skipped) {
    *skipped = others;
  }
  return files;
}

}  // namespace sz
