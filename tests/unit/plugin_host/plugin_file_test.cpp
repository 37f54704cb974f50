#include "plugin_host/plugin_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <latch>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "plugin_host/elf_file.h"
#include "plugin_host/library.h"

namespace sz {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class PluginFileTest : public testing::Test {
 protected:
  PluginFileTest() {
    folder_ = fs::temp_directory_path() / ("sz_plugin_file_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  ~PluginFileTest() override { fs::remove_all(folder_); }

  std::string good() const { return SZ_TEST_PLUGINS "/test_probe.so"; }

  std::string write(const std::string& name, const std::string& bytes) const {
    const std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    ::chmod(path.c_str(), 0644);
    return path;
  }

  std::string fault_of(const std::string& path, const std::string& pin = "") const {
    try {
      check_versions(check_plugin_file(path, pin), path);
    } catch (const Error& error) {
      EXPECT_EQ(error.exit(), Exit::kPlugin);
      EXPECT_THAT(error.what(), HasSubstr(path));
      return error.what();
    }
    return "";
  }

  fs::path folder_;
};

TEST_F(PluginFileTest, GoodPluginPasses) {
  EXPECT_EQ(fault_of(good()), "");
  EXPECT_EQ(check_plugin_file(good(), "").abi_min, 1u);
}

// A truncated file that reaches dlopen() kills the process, so every one of these must be refused here.
TEST_F(PluginFileTest, TruncatedAnywhereIsACleanError) {
  const std::string whole = read_file(good());
  for (int part = 0; part < 64; ++part) {
    const std::string path = write("cut.so", whole.substr(0, whole.size() * size_t(part) / 64));
    EXPECT_NE(fault_of(path), "") << "of " << part << "/64";
    EXPECT_THROW(PluginLibrary::open(path, ""), Error) << "of " << part << "/64";
  }
  EXPECT_THAT(fault_of(write("cut.so", whole.substr(0, whole.size() - 1))), HasSubstr("truncated"));
}

TEST_F(PluginFileTest, ThreadsMayOpenAtTheSameTime) {
  constexpr int kThreads = 8, kTimes = 64;
  std::latch together(kThreads);
  std::atomic<int> opened{0};
  std::vector<std::jthread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      together.arrive_and_wait();
      for (int i = 0; i < kTimes; ++i) opened += PluginLibrary::open(good(), "").descriptor.id == "test_probe";
    });
  }
  threads.clear();
  EXPECT_EQ(opened, kThreads * kTimes);
}

TEST_F(PluginFileTest, HeadersThatPointOutsideAreRefused) {
  const std::string whole = read_file(good());
  // Program header offset, section header offset; sizes of tables.
  for (const size_t field : {32u, 40u}) {
    std::string bent = whole;
    bent[field + 6] = '\x7f';
    EXPECT_THAT(fault_of(write("bent.so", bent)), HasSubstr("truncated"));
  }
  std::string bent = whole;
  bent[54] = 1;  // e_phentsize
  EXPECT_THAT(fault_of(write("bent.so", bent)), HasSubstr("damaged"));
}

TEST_F(PluginFileTest, OtherFilesAreNamedForWhatTheyAre) {
  EXPECT_THAT(fault_of((folder_ / "absent.so").string()), HasSubstr("No such file"));
  EXPECT_THAT(fault_of(folder_.string()), HasSubstr("not a regular file"));
  EXPECT_THAT(fault_of(write("text.so", std::string(4096, 'x'))), HasSubstr("not an ELF file"));
  EXPECT_THAT(fault_of(SZ_TEST_PLUGINS "/test_no_note.so"), HasSubstr("SZ_PLUGIN_NOTE"));
  std::string other = read_file(good());
  other[18] = 0x28;  // e_machine: ARM
  EXPECT_THAT(fault_of(write("arm.so", other)), HasSubstr("another machine"));
}

TEST_F(PluginFileTest, FileThatEverybodyMayWriteIsRefused) {
  const std::string path = write("open.so", read_file(good()));
  ::chmod(path.c_str(), 0666);
  EXPECT_THAT(fault_of(path), HasSubstr("chmod o-w"));
  ::chmod(path.c_str(), 0664);
  EXPECT_EQ(fault_of(path), "");
}

TEST_F(PluginFileTest, OtherAbiIsRefusedBeforeAnyCodeRuns) {
  EXPECT_THAT(fault_of(SZ_TEST_PLUGINS "/test_wrong_abi.so"), HasSubstr("98 to 99"));
  EXPECT_THROW(check_versions({1, 1, 77}, "x.so"), Error);
}

TEST_F(PluginFileTest, PinDecides) {
  const std::string pin = sha256_hex_of_file(good());
  EXPECT_EQ(fault_of(good(), pin), "");
  EXPECT_THAT(fault_of(good(), std::string(64, '0')), HasSubstr(pin));
}

TEST_F(PluginFileTest, NotesOfOthersAreLeftAlone) {
  EXPECT_TRUE(ElfFile(good()).notes("SZPLUGI", 1).empty());
  EXPECT_TRUE(ElfFile(good()).notes("SZPLUGIN", 2).empty());
  EXPECT_EQ(ElfFile(good()).notes("SZPLUGIN", 1).size(), 1u);
}

}  // namespace
}  // namespace sz
