// Processes killed while they write: the last checkpoint stays whole, whatever the moment.
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <functional>
#include <set>

#include "base/rng.h"
#include "checkpoint_helpers.h"

namespace sz {
namespace {

using namespace checkpoint_test;

constexpr int kFailed = 99;

enum class Ended { kKilled, kByItself, kNotTraced };

// Whether a system call can change what is on disk.
bool changes_files(uint64_t number) {
  static const std::set<uint64_t> changing = {SYS_openat, SYS_write,     SYS_pwrite64, SYS_fsync,    SYS_mkdir,
                                              SYS_rename, SYS_renameat2, SYS_unlink,   SYS_unlinkat, SYS_rmdir};
  return changing.count(number) > 0;
}

// Lets the stopped child run on until it has made `n` calls that change files; false where it ended before.
bool run_until_call(pid_t child, int n) {
  bool counts = false;  // the call that is under way
  while (n > 0) {
    int status = 0;
    if (::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr) != 0 || ::waitpid(child, &status, 0) != child) return false;
    if (!WIFSTOPPED(status)) {
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "the child failed";
      return false;
    }
    __ptrace_syscall_info info = {};
    if (::ptrace(PTRACE_GET_SYSCALL_INFO, child, reinterpret_cast<void*>(sizeof info), &info) <= 0) continue;
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
      const bool reads = info.entry.nr == SYS_openat && (info.entry.args[2] & O_CREAT) == 0;
      counts = changes_files(info.entry.nr) && !reads;
    } else if (info.op == PTRACE_SYSCALL_INFO_EXIT && counts) {
      --n;
    }
  }
  return true;
}

// Runs `body` in a child process and kills it right after its n-th call that changes files, if it makes so many.
Ended kill_after_call(int n, const std::function<void()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(kFailed);
    ::raise(SIGSTOP);
    try {
      body();
    } catch (const std::exception& e) {
      std::fprintf(stderr, "child: %s\n", e.what());
      ::_exit(kFailed);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFSTOPPED(status)) return Ended::kNotTraced;
  ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  if (!run_until_call(child, n)) return Ended::kByItself;
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  return Ended::kKilled;
}

// Saves again and again, killed one file operation later each time, until a save comes to its end. `step_of`: which
// step the n-th save is of.
void kill_everywhere(const std::function<int64_t(int64_t)>& step_of) {
  const TemporaryFolder root;
  const auto comm = make_single_communicator();
  save(root.path(), step_of(0), 0, *comm);
  int64_t before = 0;  // the n of the save that stands
  for (int n = 1;; ++n) {
    const Ended ended = kill_after_call(n, [&] {
      save(root.path(), step_of(n), n, *comm);
      prune_checkpoints(root.path(), 1);
    });
    if (ended == Ended::kNotTraced) GTEST_SKIP() << "processes cannot be traced here";
    const std::string found = find_resume(root.path(), "auto");
    ASSERT_NE(found, "") << "killed after " << n << " file operations";
    const CheckpointReader reader = CheckpointReader::open(found);
    const int64_t salt = reader.meta()["salt"].get<int64_t>();
    ASSERT_TRUE(salt == before || salt == n) << "killed after " << n << " file operations: " << salt << ", " << before;
    ASSERT_EQ(reader.step(), step_of(salt));
    expect_share(reader, 0, 1, salt);
    before = salt;
    if (ended == Ended::kByItself) {
      EXPECT_GT(n, 30);  // there were that many moments at least
      EXPECT_EQ(salt, n);
      EXPECT_EQ(list_checkpoints(root.path()).size(), 1u);
      return;
    }
    prune_checkpoints(root.path(), 1);
    ASSERT_EQ(std::distance(std::filesystem::directory_iterator(root.path()), {}), 1);
  }
}

TEST(CheckpointKill, AfterAnyFileOperationLeavesTheLastOneWhole) {
  kill_everywhere([](int64_t n) { return n; });
}

TEST(CheckpointKill, AfterAnyFileOperationLeavesAReplacedStepWhole) {
  kill_everywhere([](int64_t) { return 5; });
}

// The child saves and reports each step that is committed; the parent kills it at some moment.
void save_until_killed(const std::string& root, int report, const std::function<int64_t(int64_t)>& step_of) {
  const auto comm = make_single_communicator();
  for (int64_t i = 1;; ++i) {
    save(root, step_of(i), i, *comm);
    if (::write(report, &i, sizeof i) != sizeof i) ::_exit(kFailed);
    prune_checkpoints(root, 1);
  }
}

// Returns the number of saves that the child has reported. `moment`: microseconds after its first report.
int64_t kill_a_writer(const std::string& root, int64_t moment, const std::function<int64_t(int64_t)>& step_of) {
  int report[2];
  if (::pipe(report) != 0) throw std::runtime_error("no pipe");
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(report[0]);
    ::alarm(60);
    try {
      save_until_killed(root, report[1], step_of);
    } catch (const std::exception& e) {
      std::fprintf(stderr, "child: %s\n", e.what());
    }
    ::_exit(kFailed);
  }
  ::close(report[1]);
  int64_t saved = 0, last = 0;
  EXPECT_EQ(::read(report[0], &last, sizeof last), ssize_t(sizeof last));
  ::usleep(useconds_t(moment));
  ::kill(child, SIGKILL);
  do {
    saved = last;
  } while (::read(report[0], &last, sizeof last) == ssize_t(sizeof last));
  ::close(report[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  return saved;
}

TEST(CheckpointKill, AtAnyMomentLeavesTheLastOneWhole) {
  RandomStream random(2);
  for (int round = 0; round < 8; ++round) {
    const TemporaryFolder root;
    const int64_t saved = kill_a_writer(root.path(), int64_t(random.below(20'000)), [](int64_t i) { return i; });
    const std::string found = find_resume(root.path(), "auto");
    ASSERT_NE(found, "") << "round " << round;
    const CheckpointReader reader = CheckpointReader::open(found);
    EXPECT_GE(reader.step(), saved);
    expect_share(reader, 0, 1, reader.step());
  }
}

TEST(CheckpointKill, AtAnyMomentLeavesAReplacedStepWhole) {
  RandomStream random(3);
  for (int round = 0; round < 8; ++round) {
    const TemporaryFolder root;
    const int64_t saved = kill_a_writer(root.path(), int64_t(random.below(20'000)), [](int64_t) { return 5; });
    const std::string found = find_resume(root.path(), "auto");
    ASSERT_NE(found, "") << "round " << round;
    const CheckpointReader reader = CheckpointReader::open(found);
    EXPECT_EQ(reader.step(), 5);
    const int64_t salt = reader.meta()["salt"].get<int64_t>();
    EXPECT_GE(salt, saved);
    expect_share(reader, 0, 1, salt);
  }
}

}  // namespace
}  // namespace sz
