#include "data/prepare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <set>
#include <thread>

#include "base/signals.h"
#include "data/cache_lock.h"
#include "data/dataset.h"
#include "unit/data/fixtures.h"

namespace sz {
namespace {

namespace fs = std::filesystem;
using test::expect_error;
using test::TemporaryFolder;

PrepareOptions options_for(const TemporaryFolder& folder, const std::vector<std::string>& paths) {
  PrepareOptions options;
  options.paths = paths;
  options.vocabulary = 340;
  options.validation = 0.2;
  options.cache = folder.path() + "/cache";
  options.progress = false;
  return options;
}

// Everything in the cache but lock files.
std::vector<std::string> left_in(const std::string& cache) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(cache)) {
    if (entry.path().extension() != ".lock") {
      names.push_back(entry.path().filename().string());
    }
  }
  return names;
}

TEST(Prepare, WritesAndReuses) {
  TemporaryFolder folder;
  const std::string path = folder.write("text/a.txt", test::mixed_corpus(40));
  folder.write("text/b.md", "not read");
  const PrepareOptions options = options_for(folder, {folder.path() + "/text"});
  const Prepared first = prepare(options);
  EXPECT_FALSE(first.reused);
  const PrepareReport& report = first.manifest.report;
  EXPECT_EQ(report.files, 1);
  EXPECT_EQ(report.skipped_files, 1);
  EXPECT_EQ(report.documents, 80);
  EXPECT_EQ(report.inexact_documents, 0);
  EXPECT_EQ(report.languages[0].documents, 40);
  EXPECT_EQ(report.languages[1].documents, 40);
  EXPECT_GE(report.languages[0].validation_documents, 1);
  EXPECT_GE(report.languages[1].validation_documents, 1);
  EXPECT_EQ(report.bytes, report.languages[0].bytes + report.languages[1].bytes);
  EXPECT_EQ(report.bytes, int64_t(fs::file_size(path)) - 160);  // two line ends after each document
  EXPECT_LT(report.tokens, report.bytes / 2);
  EXPECT_NE(describe(report).find("bytes/token"), std::string::npos);

  const Prepared second = prepare(options);
  EXPECT_TRUE(second.reused);
  EXPECT_EQ(second.folder, first.folder);
  EXPECT_EQ(second.manifest.fingerprint, first.manifest.fingerprint);
  EXPECT_EQ(second.manifest.report.tokens, report.tokens);
  EXPECT_EQ(left_in(options.cache).size(), 1u);
}

TEST(Prepare, SameTextGivesTheSameDataAnywhere) {
  TemporaryFolder one, two;
  const Prepared first = prepare(options_for(one, {one.write("a.txt", test::mixed_corpus(30))}));
  const Prepared second = prepare(options_for(two, {two.write("b.txt", test::mixed_corpus(30))}));
  EXPECT_EQ(first.manifest.fingerprint, second.manifest.fingerprint);
}

TEST(Prepare, ChangesArePreparedAgain) {
  TemporaryFolder folder;
  const std::string path = folder.write("a.txt", test::mixed_corpus(30));
  PrepareOptions options = options_for(folder, {path});
  std::set<std::string> folders = {prepare(options).folder};
  options.vocabulary = 345;
  folders.insert(prepare(options).folder);
  options.seed = 9;
  folders.insert(prepare(options).folder);
  options.read.separator = Separator::kLine;
  folders.insert(prepare(options).folder);
  folder.write("a.txt", test::mixed_corpus(30) + "one more\n");
  folders.insert(prepare(options).folder);
  EXPECT_EQ(folders.size(), 5u);
}

TEST(Prepare, GivenTokenizer) {
  TemporaryFolder folder;
  PrepareOptions options = options_for(folder, {folder.write("a.txt", test::mixed_corpus(30))});
  const Prepared trained = prepare(options);
  options.tokenizer = trained.folder + "/tokenizer.model";
  options.vocabulary = 123456;  // of no effect
  const Prepared given = prepare(options);
  EXPECT_NE(given.folder, trained.folder);
  EXPECT_EQ(given.manifest.vocabulary, 340);
  EXPECT_EQ(given.manifest.report.tokens, trained.manifest.report.tokens);
  EXPECT_EQ(given.manifest.fingerprint, trained.manifest.fingerprint);
}

TEST(Prepare, DamagedFolderIsPreparedAgain) {
  TemporaryFolder folder;
  const PrepareOptions options = options_for(folder, {folder.write("a.txt", test::mixed_corpus(30))});
  const Prepared first = prepare(options);
  fs::resize_file(first.folder + "/tokens-00000.bin", 10);
  EXPECT_FALSE(prepare(options).reused);
  fs::resize_file(first.folder + "/manifest.json", 10);
  EXPECT_FALSE(prepare(options).reused);
  fs::remove(first.folder + "/documents.bin");
  EXPECT_FALSE(prepare(options).reused);
  EXPECT_TRUE(prepare(options).reused);
}

TEST(Prepare, NoDocumentsIsAnError) {
  TemporaryFolder folder;
  PrepareOptions options = options_for(folder, {});
  expect_error(Exit::kUsage, "data.paths is empty", [&] { prepare(options); });
  options.paths = {folder.write("empty.txt", " \n\n")};
  expect_error(Exit::kData, "no documents in", [&] { prepare(options); });
  folder.write("none/a.pdf", "");
  options.paths = {folder.path() + "/none"};
  expect_error(Exit::kData, "no .txt or .jsonl file in", [&] { prepare(options); });
  options.validation = 1;
  expect_error(Exit::kUsage, "data.validation", [&] { prepare(options); });
  EXPECT_TRUE(left_in(options.cache).empty());
}

TEST(Prepare, FailureLeavesNothing) {
  TemporaryFolder folder;
  PrepareOptions options = options_for(folder, {folder.write("a.txt", test::mixed_corpus(30))});
  const Prepared prepared = prepare(options);
  options.tokenizer = prepared.folder + "/tokenizer.model";
  options.paths.push_back(folder.write("b.txt", "good\n\nbad \xFF\n"));
  expect_error(Exit::kData, "b.txt:3: byte 5: not UTF-8", [&] { prepare(options); });
  EXPECT_EQ(left_in(options.cache).size(), 1u);
}

TEST(Prepare, FullDiskLeavesNothing) {
  TemporaryFolder folder;
  const PrepareOptions options = options_for(folder, {folder.write("a.txt", test::mixed_corpus(400))});
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit before {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  struct rlimit small = before;
  small.rlim_cur = 20000;  // the tokenizer fits, the tokens don't
  ::setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(prepare(options), Error);
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, ignored);
  EXPECT_TRUE(left_in(options.cache).empty());
  EXPECT_FALSE(prepare(options).reused);
}

TEST(Prepare, StopSignalEndsIt) {
  TemporaryFolder folder;
  const PrepareOptions options = options_for(folder, {folder.write("a.txt", test::mixed_corpus(30))});
  install_signal_handlers();
  ::raise(SIGTERM);
  expect_error(Exit::kTerminated, "stopped", [&] { prepare(options); });
  clear_signals();
  EXPECT_TRUE(left_in(options.cache).empty());
  EXPECT_FALSE(prepare(options).reused);
}

TEST(Prepare, OneOfManyPrepares) {
  TemporaryFolder folder;
  const PrepareOptions options = options_for(folder, {folder.write("a.txt", test::mixed_corpus(30))});
  std::vector<Prepared> results(3);
  std::vector<std::thread> threads;
  for (Prepared& result : results) {
    threads.emplace_back([&] { result = prepare(options); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(std::count_if(results.begin(), results.end(), [](const Prepared& p) { return p.reused; }), 2);
}

// Of any data set: the next preparation of another one removes it, but not what somebody is at.
TEST(Prepare, LeftoversOfOtherDataSets) {
  TemporaryFolder folder;
  const PrepareOptions options = options_for(folder, {folder.write("a.txt", test::mixed_corpus(30))});
  for (const char* key : {"abandoned", "unlocked", "held"}) {
    fs::create_directories(options.cache + "/" + key + ".partial/inside");
  }
  std::ofstream(options.cache + "/abandoned.lock");
  const CacheLock held(options.cache + "/held.lock");
  prepare(options);
  EXPECT_FALSE(fs::exists(options.cache + "/abandoned.partial"));
  EXPECT_FALSE(fs::exists(options.cache + "/unlocked.partial"));
  EXPECT_TRUE(fs::exists(options.cache + "/held.partial/inside"));
}

// Ranks are stopped together: the one that waits lets the one that prepares clean up first.
TEST(Prepare, AStoppedWaitLetsTheHolderCleanUp) {
  TemporaryFolder folder;
  const std::string path = folder.path() + "/key.lock";
  install_signal_handlers();
  std::atomic<bool> cleaned{false}, waited{false};
  auto holder = std::make_unique<CacheLock>(path);
  std::thread waiter([&] {
    expect_error(Exit::kTerminated, "stopped", [&] { CacheLock lock(path); });
    waited = cleaned.load();
  });
  ::raise(SIGTERM);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  cleaned = true;
  holder.reset();
  waiter.join();
  clear_signals();
  EXPECT_TRUE(waited);
}

// A holder that isn't stopped itself is not waited for.
TEST(Prepare, AStoppedWaitEnds) {
  TemporaryFolder folder;
  const std::string path = folder.path() + "/key.lock";
  install_signal_handlers();
  const CacheLock holder(path);
  ::raise(SIGTERM);
  expect_error(Exit::kTerminated, "stopped", [&] { CacheLock lock(path); });
  clear_signals();
}

// A process that dies while it prepares leaves a folder aside and lets go of the lock: the next one starts over.
TEST(Prepare, LeftoversOfADeadProcess) {
  TemporaryFolder folder;
  const PrepareOptions options = options_for(folder, {folder.write("a.txt", test::mixed_corpus(30))});
  const Prepared first = prepare(options);
  fs::rename(first.folder, first.folder + ".partial");
  const pid_t child = ::fork();
  if (child == 0) {
    const CacheLock lock(first.folder + ".lock");
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(prepare(options).reused);
  EXPECT_EQ(left_in(options.cache).size(), 1u);
}

TEST(Prepare, ManyShards) {
  TemporaryFolder folder;
  PrepareOptions options = options_for(folder, {folder.write("a.txt", test::mixed_corpus(30))});
  const auto whole = Dataset::open(prepare(options).folder, 16);
  options.shard_bytes = 300;
  const Prepared prepared = prepare(options);
  EXPECT_GT(prepared.manifest.shards, 5u);
  const auto cut = Dataset::open(prepared.folder, 16);
  EXPECT_EQ(cut->fingerprint(), whole->fingerprint());
  ASSERT_EQ(cut->count(Split::kTrain), whole->count(Split::kTrain));
  for (int64_t i = 0; i < cut->count(Split::kTrain); ++i) {
    EXPECT_EQ(cut->text(Split::kTrain, i), whole->text(Split::kTrain, i));
  }
}

}  // namespace
}  // namespace sz
