// What szlaunch knows of Open MPI's mpirun: how to call it, and how to read what it says.
#pragma once
#include <cstddef>
#include <string>

#include "process.h"

namespace sz::launch {

// Where mpirun and its ranks keep files that a killed mpirun would leave behind; empty: where they like.
struct MpirunFolders {
  std::string session;
  std::string shared_memory;  // on a file system in memory
};

// The command that starts `ranks` workers on this machine.
Arguments mpirun_command(const std::string& mpirun, int ranks, const MpirunFolders& folders, const Arguments& worker);

// Environment that mpirun needs, set in this process unless the user has: a word that root may run it.
void prepare_mpirun_environment();

// Splits mpirun's notices out of what ranks write to standard error. Bytes of ranks pass through at once and unchanged,
// unfinished lines (progress) included; a line of dashes and what may be a notice after it wait for their end.
class NoticeFilter {
 public:
  std::string pass(const char* bytes, std::size_t count);  // what to show now
  std::string finish();                                    // what was held back and was no notice after all
  const std::string& notices() const { return notices_; }

 private:
  void take_line(std::string& show);

  std::string line_;     // the current line, as far as it is held back
  bool shown_ = false;   // its beginning went out already
  bool fenced_ = false;  // within two lines of dashes
  std::string block_;    // the fenced lines so far
  int block_lines_ = 0;  // after the first
  std::string notices_;
};

}  // namespace sz::launch
