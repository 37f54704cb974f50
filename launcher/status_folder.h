// The folder through which ranks tell szlaunch who they are and how they ended: $SZ_STATUS_DIR.
//
//   pid-N    "KEEPER WORKER\n": process ids, see rank_entry.h
//   rank-N   "exit=CODE\n" and a message of any number of lines: written by the worker when it ends by itself
//   end-N    "exit CODE\n" or "signal NUMBER\n": written by the keeper, however the worker ended; where the kernel
//            killed for want of memory in the rank's control group, "out_of_memory LIMIT\n" follows
//
// A rank that ended without rank-N was lost. All are written aside and renamed.
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>

#include "process.h"

namespace sz::launch {

struct RankPids {
  pid_t keeper = 0;
  pid_t worker = 0;
};

struct Report {
  int code = 0;
  std::string message;
  long long written_ns = 0;  // which rank failed first
};

struct RankEnd {
  bool by_signal = false;
  int number = 0;            // the signal, or the exit code
  bool out_of_memory = false;
  std::string memory_limit;  // "512 MiB (FILE)" where it was out of memory
  long long written_ns = 0;  // to compare with Report's
};

// A new folder PARENT/szlaunch.XXXXXX, removed with all that is in it. It is locked while its szlaunch lives: the next
// one removes what a killed one left.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& parent);  // throws std::system_error
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  Fd lock_;
};

class StatusFolder {
 public:
  StatusFolder();  // below $TMPDIR; throws std::system_error

  const std::string& path() const { return folder_.path(); }
  std::optional<RankPids> pids(int rank) const;
  std::optional<Report> report(int rank) const;
  std::optional<RankEnd> end(int rank) const;

 private:
  TemporaryFolder folder_;
};

// Writes a small file aside and renames it; says why on standard error if it cannot.
void write_status(const std::string& path, const std::string& text);

}  // namespace sz::launch
