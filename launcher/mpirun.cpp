#include "mpirun.h"

#include <unistd.h>

#include <cstdlib>

namespace sz::launch {

namespace {

constexpr int kFenceLength = 60;  // mpirun's fences have 76 dashes
constexpr int kTellingLines = 3;      // of a notice: by then it has named itself

bool is_fence(const std::string& line) {
  const std::size_t end = line.find_last_not_of("\r\n");
  return end != std::string::npos && end + 1 >= kFenceLength && line.find_first_not_of('-') > end;
}

bool only_dashes(const std::string& text) { return text.find_first_not_of('-') == std::string::npos; }

// The words by which a fenced block is known as mpirun's, not as a rank's.
bool is_notice(const std::string& block) {
  for (const char* word : {"mpirun", "MPI_ABORT", "Open MPI", "ORTE", "PMIx", "MPI_INIT", "Primary job", "mpiexec"}) {
    if (block.find(word) != std::string::npos) return true;
  }
  return false;
}

// Whether an unfinished line may still become one of those below: "[host:1234] ...", not a progress bar.
bool may_become_notice_line(const std::string& line) {
  if (line.empty() || line[0] != '[') return false;
  const std::size_t close = line.find(']');
  const std::string tag = line.substr(1, close == std::string::npos ? close : close - 1);
  if (tag.find_first_of(" \r") != std::string::npos) return false;
  return close == std::string::npos || tag.find(':') != std::string::npos;
}

// "[host:1234] 1 more process has sent help message ...", "[host:1234] [[40353,0],0] ORTE_ERROR_LOG: ..." and the like:
// the latter's second bracket names one of mpirun's own daemons.
bool is_notice_line(const std::string& line) {
  if (line.empty() || line[0] != '[') return false;
  const std::size_t close = line.find(']');
  if (close != std::string::npos && line.compare(close, 4, "] [[") == 0) return true;
  for (const char* words : {"ORTE_ERROR_LOG", "] PMIX ERROR", "] OPAL ERROR", "more process has sent help message",
                            "more processes have sent help message", "orte_base_help_aggregate"}) {
    if (line.find(words) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

Arguments mpirun_command(const std::string& mpirun, int ranks, const MpirunFolders& folders, const Arguments& worker) {
  Arguments command = {mpirun, "-n", std::to_string(ranks)};
  // mpirun counts physical cores and refuses more ranks than these; threads are the workers' own affair.
  command.insert(command.end(), {"--oversubscribe", "--bind-to", "none"});
  // A rank that waits gives its core to those that compute.
  command.insert(command.end(), {"--mca", "mpi_yield_when_idle", "1"});
  // A rank that ends with an error lets the others end by themselves first; szlaunch sets the limit.
  command.insert(command.end(), {"--mca", "orte_abort_on_non_zero_status", "0"});
  if (!folders.session.empty()) command.insert(command.end(), {"--mca", "orte_tmpdir_base", folders.session});
  if (!folders.shared_memory.empty()) {
    command.insert(command.end(), {"--mca", "btl_vader_backing_directory", folders.shared_memory});
  }
  command.insert(command.end(), worker.begin(), worker.end());
  return command;
}

void prepare_mpirun_environment() {
  if (geteuid() != 0) return;
  default_environment("OMPI_ALLOW_RUN_AS_ROOT", "1");
  default_environment("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
}

std::string NoticeFilter::pass(const char* bytes, std::size_t count) {
  std::string show;
  for (std::size_t i = 0; i < count; ++i) {
    line_ += bytes[i];
    if (bytes[i] == '\n') take_line(show);
  }
  // The rest of an unfinished line goes out now, unless it may become a notice.
  const bool may_be_notice = !shown_ && (fenced_ || only_dashes(line_) || may_become_notice_line(line_));
  if (!line_.empty() && !may_be_notice) {
    show += line_;
    line_.clear();
    shown_ = true;
  }
  return show;
}

void NoticeFilter::take_line(std::string& show) {
  std::string line;
  line.swap(line_);
  if (shown_) {
    shown_ = false;
    show += line;
    return;
  }
  const bool fence = is_fence(line);
  if (!fenced_ && !fence) {
    (is_notice_line(line) ? notices_ : show) += line;
    return;
  }
  block_ += line;
  if (!fenced_) {
    fenced_ = true;
    block_lines_ = 0;
    return;
  }
  const bool undecided = ++block_lines_ < kTellingLines;
  if (!fence && (undecided || is_notice(block_))) return;
  (is_notice(block_) ? notices_ : show) += block_;
  block_.clear();
  fenced_ = false;
}

std::string NoticeFilter::finish() {
  std::string rest = block_ + line_;
  const bool notice = fenced_ && is_notice(block_);
  block_.clear();
  line_.clear();
  fenced_ = shown_ = false;
  if (!notice) return rest;
  notices_ += rest;
  return "";
}

}  // namespace sz::launch
