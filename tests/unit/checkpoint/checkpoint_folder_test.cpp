// Listing, choosing and pruning checkpoints.
#include "checkpoint_helpers.h"

namespace sz {
namespace {

namespace fs = std::filesystem;
using namespace checkpoint_test;

class CheckpointFolder : public ::testing::Test {
 protected:
  void save_step(int64_t step) { save(root, step, step, *comm); }
  std::vector<int64_t> steps() const {
    std::vector<int64_t> steps;
    for (const CheckpointInfo& info : list_checkpoints(root)) steps.push_back(info.step);
    return steps;
  }
  std::set<std::string> names() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(root)) names.insert(entry.path().filename().string());
    return names;
  }
  std::string folder(int64_t step) const { return root + "/step-" + std::to_string(step); }
  void damage(int64_t step) {
    const std::string path = folder(step) + "/state-0-of-1.safetensors";
    std::string bytes = slurp(path);
    bytes.back() = char(bytes.back() ^ 1);
    spill(path, bytes);
  }

  TemporaryFolder run;
  const std::string root = run / "checkpoints";
  std::unique_ptr<Communicator> comm = make_single_communicator();
};

TEST_F(CheckpointFolder, ListsWholeOnesAlone) {
  EXPECT_TRUE(steps().empty());
  for (const int64_t step : {2, 10, 30}) save_step(step);
  fs::create_directories(folder(40) + ".tmp");
  fs::create_directories(folder(50));
  fs::copy(folder(10), folder(60), fs::copy_options::recursive);  // says step 10 inside
  fs::copy(folder(10), root + "/step-07", fs::copy_options::recursive);
  fs::copy(folder(10), root + "/other", fs::copy_options::recursive);
  spill(root + "/step-70", "a file");
  EXPECT_EQ(steps(), (std::vector<int64_t>{2, 10, 30}));
  fs::resize_file(folder(10) + "/config.toml", 1);
  EXPECT_EQ(steps(), (std::vector<int64_t>{2, 30}));
  EXPECT_EQ(list_checkpoints(root)[0].attempt, 3);
}

// Killed between the two renames where folders cannot be exchanged.
TEST_F(CheckpointFolder, FindsTheOneThatWasBeingReplaced) {
  save_step(5);
  fs::rename(folder(5), folder(5) + ".old");
  fs::create_directories(folder(5) + ".tmp");
  EXPECT_EQ(steps(), std::vector<int64_t>{5});
  const std::string found = find_resume(root, "auto");
  EXPECT_EQ(found, folder(5) + ".old");
  expect_share(CheckpointReader::open(found), 0, 1, 5);
  prune_checkpoints(root, 1);
  EXPECT_EQ(names(), (std::set<std::string>{"step-5.old"}));
  save_step(5);
  EXPECT_EQ(find_resume(root, "auto"), folder(5));
  prune_checkpoints(root, 1);
  EXPECT_EQ(names(), (std::set<std::string>{"step-5"}));
}

TEST_F(CheckpointFolder, AutoTakesTheNewestIntactOne) {
  EXPECT_EQ(find_resume(root, "auto"), "");
  for (const int64_t step : {1, 2, 3}) save_step(step);
  EXPECT_EQ(find_resume(root, "auto"), folder(3));
  damage(3);
  EXPECT_EQ(find_resume(root, "auto"), folder(2));
  fs::remove(folder(2) + "/manifest.json");
  EXPECT_EQ(find_resume(root, "auto"), folder(1));
  damage(1);
  const std::string message = error_of(Exit::kCorrupt, [&] { find_resume(root, "auto"); });
  for (const char* part : {"step-1: ", "step-2: ", "step-3: ", "state-0-of-1", "manifest.json", "--resume PATH"}) {
    EXPECT_NE(message.find(part), std::string::npos) << part << " is not in: " << message;
  }
  EXPECT_EQ(error_of(Exit::kCorrupt, [&] { find_resume("/nowhere", run.path()); }), message);
}

// What a process that died was writing has never been a checkpoint.
TEST_F(CheckpointFolder, AutoBeginsAnewWhereNoneWasFinished) {
  fs::create_directories(folder(4) + ".tmp");
  EXPECT_EQ(find_resume(root, "auto"), "");
}

// After a resume from an earlier step, the newest is what was saved last, not the highest step.
TEST_F(CheckpointFolder, NewestIsWhatWasSavedLast) {
  for (const int64_t step : {100, 200, 300, 150}) save_step(step);
  EXPECT_EQ(steps(), (std::vector<int64_t>{100, 200, 300, 150}));
  EXPECT_EQ(find_resume(root, "auto"), folder(150));
  prune_checkpoints(root, 1);
  EXPECT_EQ(steps(), std::vector<int64_t>{150});
}

TEST_F(CheckpointFolder, ResumesFromAPath) {
  for (const int64_t step : {1, 2}) save_step(step);
  EXPECT_EQ(find_resume("/nowhere", run.path()), folder(2));
  EXPECT_EQ(find_resume("/nowhere", root), folder(2));
  EXPECT_EQ(find_resume("/nowhere", folder(1)), folder(1));
  damage(1);
  EXPECT_NE(error_of(Exit::kCorrupt, [&] { find_resume(root, folder(1)); }).find("state-0-of-1"), std::string::npos);
  fs::remove(folder(1) + "/manifest.json");
  error_of(Exit::kCorrupt, [&] { find_resume(root, folder(1)); });
  error_of(Exit::kUsage, [&] { find_resume(root, run / "absent"); });
  const TemporaryFolder empty;
  error_of(Exit::kUsage, [&] { find_resume(root, empty.path()); });
}

TEST_F(CheckpointFolder, PruneKeepsTheNewestAndClearsLeftovers) {
  for (const int64_t step : {1, 2, 3, 4}) save_step(step);
  fs::create_directories(folder(9) + ".tmp");
  fs::create_directories(root + "/notes");
  prune_checkpoints(root, 10);
  EXPECT_EQ(names(), (std::set<std::string>{"step-1", "step-2", "step-3", "step-4", "notes"}));
  prune_checkpoints(root, 2);
  EXPECT_EQ(names(), (std::set<std::string>{"step-3", "step-4", "notes"}));
  prune_checkpoints(root, 1);
  EXPECT_EQ(names(), (std::set<std::string>{"step-4", "notes"}));
  prune_checkpoints(run / "absent", 1);
}

TEST_F(CheckpointFolder, PruneDoesNotCountDamagedOnes) {
  for (const int64_t step : {1, 2, 3}) save_step(step);
  fs::remove(folder(3) + "/manifest.json");
  prune_checkpoints(root, 3);
  EXPECT_EQ(names(), (std::set<std::string>{"step-1", "step-2", "step-3"}));
  prune_checkpoints(root, 1);
  EXPECT_EQ(names(), (std::set<std::string>{"step-2"}));
}

}  // namespace
}  // namespace sz
