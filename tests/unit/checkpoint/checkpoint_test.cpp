#include "checkpoint/checkpoint.h"

#include "checkpoint/layout.h"
#include "checkpoint_helpers.h"

namespace sz {
namespace {

namespace fs = std::filesystem;
using namespace checkpoint_test;

TEST(Checkpoint, WrittenByFourReadByAnyNumberOfRanks) {
  const TemporaryFolder root;
  run_thread_ranks(4, [&](Communicator& comm) { save(root.path(), 7, 1, comm); });

  const CheckpointReader reader = CheckpointReader::open(root / "step-7");
  reader.verify();
  EXPECT_EQ(reader.step(), 7);
  EXPECT_EQ(reader.attempt(), 8);
  EXPECT_EQ(reader.ranks(), 4);
  EXPECT_EQ(reader.meta(), (nlohmann::json{{"salt", 1}, {"route", "mkl"}}));
  EXPECT_EQ(reader.config_toml(), "[run]\nname = \"试验\"\n");
  EXPECT_EQ(reader.arrays().size(), 2 * parameters().size());
  EXPECT_EQ(reader.info("wte", "master").shape, (std::vector<int64_t>{101, 3}));
  EXPECT_TRUE(reader.has("none", "exp_avg"));
  EXPECT_FALSE(reader.has("none", "exp_avg_sq"));
  for (const int ranks : {1, 2, 3, 6}) {
    for (int rank = 0; rank < ranks; ++rank) expect_share(reader, rank, ranks, 1);
  }
}

TEST(Checkpoint, EveryStretchOfAnArrayReadsRight) {
  const TemporaryFolder root;
  run_thread_ranks(3, [&](Communicator& comm) { save(root.path(), 1, 2, comm); });
  const CheckpointReader reader = CheckpointReader::open(root / "step-1");
  for (int64_t begin = 0; begin <= 13; ++begin) {
    for (int64_t end = begin; end <= 13; ++end) {
      std::vector<float> values(14, -1);
      reader.read("h.0.bias", "master", begin, end, values.data());
      for (int64_t i = begin; i < end; ++i) {
        ASSERT_EQ(values[size_t(i - begin)], expected("h.0.bias", "master", i, 2));
      }
      ASSERT_EQ(values[size_t(end - begin)], -1);
    }
  }
}

TEST(Checkpoint, OneRankWritesWholeTensorsThatOthersCanRead) {
  const TemporaryFolder root;
  const auto comm = make_single_communicator();
  {
    CheckpointWriter writer(root / "deep/er", 0, 0, *comm);
    const double values[6] = {1, 2, 3, 4, 5, 6};
    writer.add({"w", "master", {2, 3}, DType::kF64, 0, 6, values});
    writer.commit(nlohmann::json::object(), "");
  }
  const SafetensorsReader file(root / "deep/er/step-0/state-0-of-1.safetensors");
  ASSERT_NE(file.find("w/master"), nullptr);
  EXPECT_EQ(file.find("w/master")->shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(file.find("w/master")->dtype, DType::kF64);
}

TEST(Checkpoint, KeepsPluginState) {
  const TemporaryFolder root;
  run_thread_ranks(2, [&](Communicator& comm) { save(root.path(), 1, 0, comm); });
  const CheckpointReader reader = CheckpointReader::open(root / "step-1");
  const auto blob = reader.blob("amp_o2");
  ASSERT_TRUE(blob);
  EXPECT_EQ(blob->version, 3u);
  EXPECT_EQ(blob->scope, BlobScope::kCheckpointAndRollback);
  EXPECT_EQ(blob->bytes, std::string("\0scale\xFF", 7));
  EXPECT_FALSE(reader.blob("other"));
  EXPECT_EQ(reader.blobs(), std::vector<std::string>{"amp_o2"});
}

TEST(Checkpoint, RefusesPluginIdsThatAreNoFileNames) {
  const TemporaryFolder root;
  const auto comm = make_single_communicator();
  for (const char* id : {"", "../x", "a/b", ".hidden", "a b", "名"}) {
    CheckpointWriter writer(root.path(), 1, 1, *comm);
    writer.blob({id, 1, BlobScope::kCheckpoint, "x"});
    error_of(Exit::kPlugin, [&] { writer.commit(nlohmann::json::object(), ""); });
  }
  CheckpointWriter writer(root.path(), 1, 1, *comm);
  writer.blob({"a", 1, BlobScope::kCheckpoint, "x"});
  writer.blob({"a", 1, BlobScope::kCheckpoint, "x"});
  error_of(Exit::kPlugin, [&] { writer.commit(nlohmann::json::object(), ""); });
}

TEST(Checkpoint, AnAbandonedWriterLeavesNothing) {
  const TemporaryFolder root;
  run_thread_ranks(2, [&](Communicator& comm) {
    {
      CheckpointWriter writer(root.path(), 3, 3, comm);
      add_share(writer, comm.rank(), comm.size(), 0);
      comm.barrier(Channel::kData)->wait();
    }
    comm.barrier(Channel::kData)->wait();
  });
  EXPECT_TRUE(fs::is_empty(root.path()));
}

TEST(Checkpoint, SavingTheSameStepAgainReplacesIt) {
  const TemporaryFolder root;
  run_thread_ranks(3, [&](Communicator& comm) { save(root.path(), 5, 1, comm); });
  run_thread_ranks(2, [&](Communicator& comm) { save(root.path(), 5, 2, comm); });
  const CheckpointReader reader = CheckpointReader::open(root / "step-5");
  reader.verify();
  EXPECT_EQ(reader.ranks(), 2);
  expect_share(reader, 0, 1, 2);
  EXPECT_EQ(std::distance(fs::directory_iterator(root.path()), {}), 1);
}

TEST(Checkpoint, AFailureOnOneRankFailsOnAllAndLeavesTheOldOne) {
  const TemporaryFolder root;
  run_thread_ranks(3, [&](Communicator& comm) {
    save(root.path(), 1, 1, comm);
    CheckpointWriter writer(root.path(), 1, 2, comm);
    add_share(writer, comm.rank(), comm.size(), 9);
    if (comm.rank() == 2) writer.fail(Exit::kExhausted, "the swap file's disk is full");
    const std::string message =
        error_of(Exit::kExhausted, [&] { writer.commit(nlohmann::json::object(), ""); });
    EXPECT_NE(message.find("step-1 was not saved: rank 2: the swap file's disk is full"), std::string::npos) << message;
  });
  const CheckpointReader reader = CheckpointReader::open(root / "step-1");
  reader.verify();
  expect_share(reader, 0, 1, 1);
  EXPECT_EQ(std::distance(fs::directory_iterator(root.path()), {}), 1);
}

// A root that is a file: rank 0 cannot make its folder, and no other rank waits for it.
TEST(Checkpoint, AFolderThatCannotBeMadeFailsOnAllRanks) {
  const TemporaryFolder root;
  spill(root / "file", "x");
  run_thread_ranks(3, [&](Communicator& comm) {
    const std::string message = error_of(Exit::kUsage, [&] { CheckpointWriter writer(root / "file", 1, 1, comm); });
    EXPECT_NE(message.find("rank 0: "), std::string::npos) << message;
  });
}

TEST(Checkpoint, CommitRefusesGapsAndOverlaps) {
  const TemporaryFolder root;
  const float values[10] = {};
  const auto commit = [&](int64_t second_begin, int64_t second_end, Exit exit) {
    std::string message;
    run_thread_ranks(2, [&](Communicator& comm) {
      CheckpointWriter writer(root.path(), 1, 1, comm);
      if (comm.rank() == 0) writer.add({"w", "master", {10}, DType::kF32, 0, 4, values});
      if (comm.rank() == 1) {
        writer.add({"w", "master", {10}, DType::kF32, second_begin, second_end, values});
      }
      const std::string m = error_of(exit, [&] { writer.commit(nlohmann::json::object(), ""); });
      if (comm.rank() == 1) message = m;
    });
    return message;
  };
  EXPECT_NE(commit(5, 10, Exit::kInternal).find("elements 4 to 5 of 'w/master'"), std::string::npos);
  EXPECT_NE(commit(4, 9, Exit::kInternal).find("elements 9 to 10 of 'w/master'"), std::string::npos);
  EXPECT_NE(commit(3, 10, Exit::kCorrupt).find("overlaps"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(root.path()));
}

TEST(Checkpoint, NamesWhatItDoesNotHave) {
  const TemporaryFolder root;
  const auto comm = make_single_communicator();
  save(root.path(), 1, 0, *comm);
  const CheckpointReader reader = CheckpointReader::open(root / "step-1");
  float values[100];
  EXPECT_NE(error_of(Exit::kCorrupt, [&] { reader.read("wte", "exp_avg_sq", 0, 1, values); }).find("wte/exp_avg_sq"),
            std::string::npos);
  EXPECT_NE(error_of(Exit::kCorrupt, [&] { reader.read("h.0.bias", "master", 0, 14, values); }).find("13 elements"),
            std::string::npos);
}

TEST(CheckpointLayout, TensorNamesComeBack) {
  const layout::TensorName names[] = {{"a", "master", true, 0, 0},
                                      {"层/w@1:2", "exp_avg", true, 0, 0},
                                      {"层/w@1:2", "exp_avg", false, 0, INT64_MAX},
                                      {"a b", "m", false, 10, 20}};
  for (const auto& name : names) {
    const auto back = layout::parse_tensor_name(layout::tensor_name(name));
    ASSERT_TRUE(back);
    EXPECT_EQ(back->parameter, name.parameter);
    EXPECT_EQ(back->state, name.state);
    EXPECT_EQ(back->whole, name.whole);
    EXPECT_EQ(back->begin, name.begin);
    EXPECT_EQ(back->end, name.end);
  }
  for (const char* bad : {"", "w", "/m", "w/", "w/m@", "w/m@1", "w/m@2:1", "w/m@-1:2", "w/m@01:2", "w/m@1:2x",
                          "w/m@1:9223372036854775808", "w/@1:2", "w/a b"}) {
    EXPECT_FALSE(layout::parse_tensor_name(bad)) << bad;
  }
}

TEST(CheckpointLayout, FileNamesStayInTheFolder) {
  for (const char* good : {"config.toml", "state-0-of-1.safetensors", "plugins/a.b_c-1.bin"}) {
    EXPECT_TRUE(layout::is_file_name(good)) << good;
  }
  for (const char* bad : {"", "manifest.json", "../config.toml", "/etc/passwd", "state-0-of-.safetensors",
                          "state-../x-of-1.safetensors", "plugins/../x.bin", "plugins/a/b.bin", "plugins/.bin"}) {
    EXPECT_FALSE(layout::is_file_name(bad)) << bad;
  }
}

}  // namespace
}  // namespace sz
