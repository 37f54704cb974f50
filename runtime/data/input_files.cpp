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

std::vector<std::string> list_folder(const std::string& folder, int64_t& skipped) {
  std::vector<std::string> found;
  std::error_code code;
  fs::recursive_directory_iterator entry(folder, code), end;
  for (; !code && entry != end; entry.increment(code)) {
    if (is_hidden(entry->path())) {
      entry.disable_recursion_pending();
      continue;
    }
    std::error_code broken_link;
    if (!entry->is_regular_file(broken_link)) {
      continue;
    }
    if (is_text(entry->path())) {
      found.push_back(entry->path().string());
    } else {
      ++skipped;
    }
  }
  if (code) {
    throw Error(Exit::kData, "data.paths: " + folder + ": can't be listed: " + code.message());
  }
  std::sort(found.begin(), found.end());
  return found;
}

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
      const std::vector<std::string> found = list_folder(path, others);
      std::for_each(found.begin(), found.end(), add);
    } else if (!fs::exists(status)) {
      throw Error(Exit::kData, "data.paths: " + path + ": no such file or folder");
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
