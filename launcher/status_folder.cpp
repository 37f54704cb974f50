#include "status_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace sz::launch {

namespace {

std::string temporary_base() {
  const char* folder = std::getenv("TMPDIR");
  return folder && *folder ? folder : "/tmp";
}

Fd open_folder(const std::string& path) { return Fd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)); }

// A folder this young may not be locked yet.
bool is_young(const Fd& folder) {
  struct stat information {};
  return fstat(folder.get(), &information) != 0 || time(nullptr) - information.st_mtime < 60;
}

long long written_ns(const std::string& file) {
  struct stat information {};
  if (stat(file.c_str(), &information) != 0) return 0;
  return information.st_mtim.tv_sec * 1'000'000'000LL + information.st_mtim.tv_nsec;
}

void remove_left_behind(const std::string& parent) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(parent, ignored)) {
    if (entry.path().filename().string().rfind("szlaunch.", 0) != 0) continue;
    const Fd folder = open_folder(entry.path());
    const bool abandoned = folder && !is_young(folder) && flock(folder.get(), LOCK_EX | LOCK_NB) == 0;
    if (abandoned) std::filesystem::remove_all(entry.path(), ignored);
  }
}

}  // namespace

TemporaryFolder::TemporaryFolder(const std::string& parent) : path_(parent + "/szlaunch.XXXXXX") {
  remove_left_behind(parent);
  if (!mkdtemp(path_.data())) {
    throw std::system_error(errno, std::generic_category(), "cannot make a folder in " + parent);
  }
  lock_ = open_folder(path_);
  flock(lock_.get(), LOCK_EX);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

StatusFolder::StatusFolder() : folder_(temporary_base()) {}

std::optional<RankPids> StatusFolder::pids(int rank) const {
  std::ifstream file(path() + "/pid-" + std::to_string(rank));
  RankPids pids;
  if (file >> pids.keeper >> pids.worker) return pids;
  return std::nullopt;
}

std::optional<Report> StatusFolder::report(int rank) const {
  const std::string name = path() + "/rank-" + std::to_string(rank);
  std::ifstream file(name);
  std::string first;
  if (!std::getline(file, first) || first.rfind("exit=", 0) != 0) return std::nullopt;
  Report report;
  report.code = std::atoi(first.c_str() + 5);
  report.message.assign(std::istreambuf_iterator<char>(file), {});
  while (!report.message.empty() && report.message.back() == '\n') report.message.pop_back();
  report.written_ns = written_ns(name);
  return report;
}

std::optional<RankEnd> StatusFolder::end(int rank) const {
  const std::string name = path() + "/end-" + std::to_string(rank);
  std::ifstream file(name);
  std::string how;
  RankEnd end;
  if (!(file >> how >> end.number)) return std::nullopt;
  end.by_signal = how == "signal";
  std::string word;
  end.out_of_memory = file >> word && word == "out_of_memory";
  std::getline(file >> std::ws, end.memory_limit);
  end.written_ns = written_ns(name);
  return end;
}

void write_status(const std::string& path, const std::string& text) {
  const std::string part = path + ".part";
  std::ofstream file(part);
  file << text;
  file.close();
  if (!file || std::rename(part.c_str(), path.c_str()) != 0) std::perror(("szlaunch: " + path).c_str());
}

}  // namespace sz::launch
