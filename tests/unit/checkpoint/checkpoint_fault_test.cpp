// Torn files, flipped bits, full disks, folders that cannot be written.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <functional>

#include "base/hash.h"
#include "base/rng.h"
#include "checkpoint_helpers.h"

namespace sz {
namespace {

namespace fs = std::filesystem;
using namespace checkpoint_test;

constexpr int kSkip = 77, kFailed = 99;

// Runs `body` in a child process and returns its exit status; one that has not ended after a minute is killed.
int run_in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    int status = kFailed;
    try {
      status = body();
      if (::testing::Test::HasFailure()) status = kFailed;
    } catch (const std::exception& e) {
      std::fprintf(stderr, "child: %s\n", e.what());
    }
    ::_exit(status);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void open_and_verify(const std::string& folder) { CheckpointReader::open(folder).verify(); }

class CheckpointFault : public ::testing::Test {
 protected:
  void SetUp() override {
    run_thread_ranks(2, [&](Communicator& comm) { save(root.path(), 1, 1, comm); });
  }
  const std::string folder() const { return root / "step-1"; }
  TemporaryFolder root;
};

TEST_F(CheckpointFault, NoticesEveryTornFile) {
  for (const std::string& path : files_in(folder())) {
    const std::string whole = slurp(path);
    const size_t stride = std::max<size_t>(1, whole.size() / 60);
    for (size_t length = 0; length < whole.size(); length += stride) {
      spill(path, whole.substr(0, length));
      SCOPED_TRACE(path + " cut to " + std::to_string(length));
      error_of(Exit::kCorrupt, [&] { CheckpointReader::open(folder()); });
      EXPECT_TRUE(list_checkpoints(root.path()).empty());
    }
    fs::remove(path);
    error_of(Exit::kCorrupt, [&] { CheckpointReader::open(folder()); });
    spill(path, whole);
    open_and_verify(folder());
  }
}

TEST_F(CheckpointFault, NoticesEveryFlippedBit) {
  RandomStream random(1);
  for (const std::string& path : files_in(folder())) {
    const std::string whole = slurp(path);
    for (int i = 0; i < 80; ++i) {
      std::string flipped = whole;
      // Half of them near the start, where the headers are.
      const size_t byte = random.below(i % 2 ? whole.size() : std::min<size_t>(whole.size(), 1000));
      flipped[byte] = char(flipped[byte] ^ (1 << random.below(8)));
      spill(path, flipped);
      SCOPED_TRACE(path + " flipped at " + std::to_string(byte));
      error_of(Exit::kCorrupt, [&] { open_and_verify(folder()); });
      error_of(Exit::kCorrupt, [&] { find_resume(root.path(), "auto"); });
    }
    spill(path, whole);
    open_and_verify(folder());
  }
}

// A manifest that is well-formed and carries the right checksum, but lies.
TEST_F(CheckpointFault, SurvivesALyingManifest) {
  const std::string path = folder() + "/manifest.json";
  const nlohmann::json honest = nlohmann::json::parse(slurp(path));
  const auto expect_refused = [&](const std::function<void(nlohmann::json&)>& change) {
    nlohmann::json lie = honest;
    change(lie);
    lie.erase("xxh3");
    lie["xxh3"] = xxh3_64_hex(lie.dump());
    spill(path, lie.dump());
    error_of(Exit::kCorrupt, [&] { open_and_verify(folder()); });
  };
  for (const auto& [key, value] : honest.items()) {
    if (key == "xxh3") continue;
    expect_refused([&key = key](nlohmann::json& m) { m.erase(key); });
    expect_refused([&key = key](nlohmann::json& m) { m[key] = "text"; });
    expect_refused([&key = key](nlohmann::json& m) { m[key] = -1; });
  }
  expect_refused([](nlohmann::json& m) { m["format"] = 2; });
  expect_refused([](nlohmann::json& m) { m["files"][0]["name"] = "../../../../etc/passwd"; });
  expect_refused([](nlohmann::json& m) { m["files"].push_back(m["files"][0]); });
  expect_refused([](nlohmann::json& m) { m["files"][0]["sections"][0]["bytes"] = 1ull << 63; });
  expect_refused([](nlohmann::json& m) { m["files"][0]["sections"][0]["bytes"] = 1; });
  expect_refused([](nlohmann::json& m) { m["files"][0]["sections"][0]["xxh3"] = "0123456789abcdeg"; });
  expect_refused([](nlohmann::json& m) { m["files"] = nlohmann::json::array({1, 2}); });
  expect_refused([](nlohmann::json& m) { m["plugins"][0]["id"] = "other"; });
  expect_refused([](nlohmann::json& m) { m["plugins"][0]["version"] = 1ull << 32; });
  spill(path, honest.dump());
  open_and_verify(folder());
}

// With the file of one rank left out, what it held is missing, and the rest can be read.
TEST_F(CheckpointFault, NamesAMissingStretch) {
  const std::string path = folder() + "/manifest.json";
  nlohmann::json manifest = nlohmann::json::parse(slurp(path));
  auto& files = manifest["files"];
  for (size_t i = 0; i < files.size(); ++i) {
    if (files[i]["name"] == "state-1-of-2.safetensors") files.erase(i--);
  }
  manifest.erase("xxh3");
  manifest["xxh3"] = xxh3_64_hex(manifest.dump());
  spill(path, manifest.dump());

  const CheckpointReader reader = CheckpointReader::open(folder());
  std::vector<float> values(13);
  reader.read("h.0.bias", "master", 1, 4, values.data());
  EXPECT_EQ(values[2], expected("h.0.bias", "master", 3, 1));
  const auto message = error_of(Exit::kCorrupt, [&] { reader.read("h.0.bias", "master", 2, 13, values.data()); });
  EXPECT_NE(message.find("'h.0.bias/master': elements 4 to 13 are in none"), std::string::npos) << message;
}

// The size limit makes writes fail as a full disk does. Rank 1 alone writes more than is allowed.
TEST_F(CheckpointFault, AFullDiskOnOneRankFailsOnAll) {
  const int status = run_in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {300'000, 300'000};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return kSkip;
    run_thread_ranks(2, [&](Communicator& comm) {
      const std::vector<float> values(100'000);
      const int64_t begin = comm.rank() == 0 ? 0 : 10, end = comm.rank() == 0 ? 10 : 100'000;
      for (const int64_t step : {1, 2}) {
        CheckpointWriter writer(root.path(), step, step, comm);
        writer.add({"w", "master", {100'000}, DType::kF32, begin, end, values.data()});
        writer.add({"v", "master", {2}, DType::kF32, comm.rank(), comm.rank() + 1, values.data()});
        const auto message = error_of(Exit::kExhausted, [&] { writer.commit(nlohmann::json::object(), ""); });
        EXPECT_NE(message.find("rank 1: cannot write"), std::string::npos) << message;
        EXPECT_NE(message.find("state-1-of-2.safetensors"), std::string::npos) << message;
      }
    });
    return 0;
  });
  if (status == kSkip) GTEST_SKIP() << "file sizes cannot be limited here";
  EXPECT_EQ(status, 0);
  open_and_verify(folder());
  expect_share(CheckpointReader::open(folder()), 0, 1, 1);
  EXPECT_EQ(std::distance(fs::directory_iterator(root.path()), {}), 1);
}

// Every write of rank 0's closing act fails once: the limit grows from nothing until the save succeeds.
TEST_F(CheckpointFault, AFullDiskAtAnyFileLeavesTheOldOne) {
  for (const rlim_t bytes : {rlim_t(0), rlim_t(7), rlim_t(20), rlim_t(1000), rlim_t(66'000)}) {
    const int status = run_in_child([&] {
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit = {bytes, bytes};
      if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return kSkip;
      const auto comm = make_single_communicator();
      error_of(Exit::kExhausted, [&] { save(root.path(), 1, 9, *comm); });
      return 0;
    });
    if (status == kSkip) GTEST_SKIP() << "file sizes cannot be limited here";
    EXPECT_EQ(status, 0) << bytes;
    open_and_verify(folder());
    expect_share(CheckpointReader::open(folder()), 0, 1, 1);
    EXPECT_EQ(std::distance(fs::directory_iterator(root.path()), {}), 1);
  }
}

TEST_F(CheckpointFault, AReadOnlyFolderIsTheUsersToMend) {
  fs::permissions(root.path(), fs::perms(0555));
  const int status = run_in_child([&] {
    // Root may write anywhere; any other user will do.
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) return kSkip;
    run_thread_ranks(2, [&](Communicator& comm) {
      const auto message = error_of(Exit::kUsage, [&] { save(root.path(), 2, 2, comm); });
      EXPECT_NE(message.find("rank 0: "), std::string::npos) << message;
      EXPECT_NE(message.find(root.path()), std::string::npos) << message;
    });
    open_and_verify(folder());
    return 0;
  });
  fs::permissions(root.path(), fs::perms(0755));
  if (status == kSkip) GTEST_SKIP() << "running as root, which no folder is read-only for";
  EXPECT_EQ(status, 0);
  EXPECT_EQ(list_checkpoints(root.path()).size(), 1u);
}

}  // namespace
}  // namespace sz
