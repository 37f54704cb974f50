#include "base/files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>

#include "unit/base/temporary_folder.h"

namespace sz {
namespace {

using test::slurp;
using test::TemporaryFolder;
using test::thrown_by;
using ::testing::HasSubstr;

TEST(Files, WriteAndRead) {
  const TemporaryFolder folder;
  const std::string bytes("a\0b\n中", 7);
  write_file_atomically(folder / "f", bytes);
  EXPECT_EQ(read_file(folder / "f"), bytes);
  write_file_atomically(folder / "f", "");
  EXPECT_EQ(read_file(folder / "f"), "");
  EXPECT_THAT(read_file("/proc/self/status"), HasSubstr("Pid:"));  // a file that says it is empty
}

TEST(Files, ErrorsNamePathReasonAndAdvice) {
  const TemporaryFolder folder;
  const auto missing = thrown_by([&] { read_file(folder / "none"); });
  EXPECT_EQ(missing.exit, Exit::kUsage);
  EXPECT_EQ(missing.message, "cannot read " + (folder / "none") + ": No such file or directory; check the name");
  EXPECT_THAT(thrown_by([&] { read_file(folder.path()); }).message, HasSubstr("Is a directory"));
  EXPECT_EQ(io_error("write", "x", ENOSPC).exit(), Exit::kExhausted);
  EXPECT_THAT(io_error("write", "x", ENOSPC).what(), HasSubstr("cannot write x: No space left on device; free space"));
  EXPECT_EQ(io_error("write", "x", EACCES).exit(), Exit::kUsage);
  EXPECT_EQ(io_error("read", "x", EIO).exit(), Exit::kCorrupt);
}

TEST(Files, AFullDeviceIsExhausted) {
  const int full = ::open("/dev/full", O_WRONLY);
  ASSERT_GE(full, 0);
  const auto thrown = thrown_by([&] { write_all(full, "x", "/dev/full"); });
  ::close(full);
  EXPECT_EQ(thrown.exit, Exit::kExhausted);
}

TEST(Files, AFailedWriteLeavesNothingBeside) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "target/inside");  // a rename onto it fails
  EXPECT_EQ(thrown_by([&] { write_file_atomically(folder / "target", "x"); }).exit, Exit::kUsage);
  size_t names = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++names;
  EXPECT_EQ(names, 1u);
  EXPECT_EQ(thrown_by([&] { write_file_atomically(folder / "no/such", "x"); }).exit, Exit::kUsage);
}

TEST(Files, Folders) {
  const TemporaryFolder folder;
  make_directories(folder / "a/b/c");
  make_directories(folder / "a/b/c");
  EXPECT_TRUE(std::filesystem::is_directory(folder / "a/b/c"));
  test::spit(folder / "file", "");
  EXPECT_EQ(thrown_by([&] { make_directories(folder / "file"); }).exit, Exit::kUsage);
  EXPECT_EQ(thrown_by([&] { make_directories(folder / "file/x"); }).exit, Exit::kUsage);
  EXPECT_EQ(folder_of("x"), ".");
  EXPECT_EQ(folder_of("a/x"), "a");
}

TEST(Files, LockNamesItsHolder) {
  const TemporaryFolder folder;
  FileLock first(folder / "run");
  ASSERT_TRUE(first.held());
  const auto thrown = thrown_by([&] { FileLock second(folder / "run"); });
  EXPECT_EQ(thrown.exit, Exit::kUsage);
  EXPECT_THAT(thrown.message,
              HasSubstr((folder / "run") + " is in use by process " + std::to_string(::getpid()) + " on "));
  FileLock moved = std::move(first);
  EXPECT_FALSE(first.held());
  EXPECT_EQ(thrown_by([&] { FileLock second(folder / "run"); }).exit, Exit::kUsage);
  moved = FileLock(folder / "other");
  EXPECT_EQ(thrown_by([&] { FileLock second(folder / "run"); }).exit, Exit::kOk);
}

TEST(Files, LockGoesWithItsProcess) {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    new FileLock(folder.path());  // never released by hand
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  EXPECT_TRUE(FileLock(folder.path()).held());
}

}  // namespace
}  // namespace sz
