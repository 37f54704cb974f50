#include "data/shards.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "unit/data/fixtures.h"

namespace sz {
namespace {

// Writes documents of lengths 3, 4, 5, ... and reads them back.
void round_trip(int64_t vocabulary, int64_t shard_bytes, uint32_t shards) {
  test::TemporaryFolder folder;
  ShardWriter writer(folder.path(), vocabulary, shard_bytes);
  std::vector<DocumentRecord> records;
  std::vector<std::vector<int32_t>> documents;
  RandomStream random(static_cast<uint64_t>(vocabulary));
  for (size_t i = 0; i < 20; ++i) {
    std::vector<int32_t> ids(3 + i);
    for (int32_t& id : ids) {
      id = static_cast<int32_t>(random.below(static_cast<uint64_t>(vocabulary)));
    }
    DocumentRecord record{};
    writer.begin(record);
    writer.append(std::span(ids).first(2));
    writer.append(std::span(ids).subspan(2));
    record.tokens = ids.size();
    records.push_back(record);
    documents.push_back(ids);
  }
  writer.finish();
  EXPECT_EQ(writer.shards(), shards);

  const ShardReader reader(folder.path(), writer.shards(), vocabulary);
  for (size_t i = 0; i < documents.size(); ++i) {
    ASSERT_TRUE(reader.holds(records[i]));
    std::vector<int64_t> ids;
    reader.read(records[i], 1, documents[i].size() - 1, ids);
    EXPECT_TRUE(std::equal(ids.begin(), ids.end(), documents[i].begin() + 1, documents[i].end()));
    EXPECT_EQ(reader.token(records[i], 0), documents[i][0]);
  }
}

TEST(Shards, NarrowTokens) { round_trip(65536, 1 << 20, 1); }
TEST(Shards, WideTokens) { round_trip(65537, 1 << 20, 1); }
TEST(Shards, WideTokensOfALargeVocabulary) { round_trip(int64_t(1) << 31, 1 << 20, 1); }
TEST(Shards, DocumentsStayWholeWhenAShardIsFull) { round_trip(1000, 1, 20); }

TEST(Shards, TokenBytes) {
  EXPECT_EQ(token_bytes(65536), 2);
  EXPECT_EQ(token_bytes(65537), 4);
}

TEST(Shards, RecordsOutsideTheFileAreFound) {
  test::TemporaryFolder folder;
  folder.write(shard_name(0), std::string(10, '\0'));
  const ShardReader reader(folder.path(), 1, 1000);
  DocumentRecord record{};
  record.tokens = 5;
  EXPECT_TRUE(reader.holds(record));
  record.first_token = 1;
  EXPECT_FALSE(reader.holds(record));
  record.first_token = ~0ull;
  EXPECT_FALSE(reader.holds(record));
  record.first_token = 0;
  record.shard = 1;
  EXPECT_FALSE(reader.holds(record));
}

TEST(Shards, TokensOutsideTheVocabularyAreFound) {
  test::TemporaryFolder folder;
  folder.write(shard_name(0), std::string("\x01\x00\xE8\x03", 4));
  const ShardReader reader(folder.path(), 1, 1000);
  DocumentRecord record{};
  record.tokens = 2;
  EXPECT_EQ(reader.token(record, 0), 1);
  test::expect_error(Exit::kData, "tokens-00000.bin: token 1 is 1000", [&] { reader.token(record, 1); });
}

TEST(Shards, EmptyAndMissingFiles) {
  test::TemporaryFolder folder;
  EXPECT_TRUE(MappedFile(folder.write("empty", "")).bytes().empty());
  EXPECT_EQ(MappedFile(folder.write("some", "abc")).bytes(), "abc");
  test::expect_error(Exit::kUsage, "absent", [&] { MappedFile(folder.path() + "/absent"); });
}

TEST(Shards, LargeFileGoesThroughTheBuffer) {
  test::TemporaryFolder folder;
  const std::string block(700000, 'x');
  FileWriter writer(folder.path() + "/large");
  for (int i = 0; i < 5; ++i) {
    writer.write(block.data(), block.size());
  }
  EXPECT_EQ(writer.size(), 3500000);
  writer.finish();
  EXPECT_EQ(std::filesystem::file_size(folder.path() + "/large"), 3500000u);
}

TEST(Shards, FullDisk) {
  if (!std::filesystem::exists("/dev/full")) {
    GTEST_SKIP() << "no /dev/full";
  }
  FileWriter writer("/dev/full");
  writer.write("x", 1);
  test::expect_error(Exit::kExhausted, "/dev/full", [&] { writer.finish(); });
}

}  // namespace
}  // namespace sz
