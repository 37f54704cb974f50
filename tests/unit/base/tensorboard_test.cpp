#include "base/tensorboard.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <vector>

#include "unit/base/temporary_folder.h"

namespace sz {
namespace {

using test::slurp;
using test::spit;
using test::TemporaryFolder;

std::string only_file(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path().string());
  EXPECT_EQ(files.size(), 1u);
  return files.at(0);
}

// The messages of all records, whose lengths must add up to the file.
std::vector<std::string> messages(const std::string& path) {
  const std::string bytes = slurp(path);
  std::vector<std::string> found;
  for (size_t at = 0; at < bytes.size();) {
    uint64_t length = 0;
    std::memcpy(&length, bytes.data() + at, 8);
    EXPECT_LE(at + 16 + length, bytes.size());
    found.push_back(bytes.substr(at + 12, length));
    at += 16 + length;
  }
  return found;
}

TEST(TensorBoard, ChecksumIsCastagnolis) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);  // RFC 3720, B.4
}

TEST(TensorBoard, ResumeCutsOffLaterSteps) {
  const TemporaryFolder folder;
  {
    TensorBoardLog log(folder.path());
    for (int step = 1; step <= 300; ++step) log.write(step, {{"loss", 1.0 / step}, {"损失", 2}});
  }
  const std::string path = only_file(folder.path());
  EXPECT_EQ(messages(path).size(), 301u);
  spit(path, slurp(path) + "torn");
  { TensorBoardLog log(folder.path(), 200); }
  EXPECT_EQ(only_file(folder.path()), path);
  EXPECT_EQ(messages(path).size(), 201u);
  {
    TensorBoardLog log(folder.path(), 200);
    log.write(201, {{"loss", 0.5}});
  }
  EXPECT_EQ(messages(path).size(), 202u);
}

TEST(TensorBoard, ResumeAfterARollBackKeepsTheLaterWay) {
  const TemporaryFolder folder;
  {
    TensorBoardLog log(folder.path());
    for (int step = 1; step <= 10; ++step) log.write(step, {{"loss", 1}});
    log.take_back(6);
    for (int step = 6; step <= 12; ++step) log.write(step, {{"loss", 2}});
  }
  { TensorBoardLog log(folder.path(), 8); }
  EXPECT_EQ(messages(only_file(folder.path())).size(), 1u + 10 + 1 + 3);
}

TEST(TensorBoard, AFolderThatIsAFileIsAnError) {
  const TemporaryFolder folder;
  spit(folder / "tb", "");
  EXPECT_THROW(TensorBoardLog(folder / "tb"), Error);
}

}  // namespace
}  // namespace sz
