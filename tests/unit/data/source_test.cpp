#include "data/source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "data/line_reader.h"
#include "unit/data/fixtures.h"

namespace sz {
namespace {

namespace fs = std::filesystem;
using test::expect_error;
using test::TemporaryFolder;
using ::testing::ElementsAre;

std::vector<Document> read_all(const std::vector<std::string>& paths, const ReadOptions& options = {}) {
  DocumentReader reader(paths, options);
  std::vector<Document> documents;
  for (Document document; reader.next(document);) {
    documents.push_back(document);
  }
  return documents;
}

std::vector<std::string> texts(const std::vector<std::string>& paths, const ReadOptions& options = {}) {
  std::vector<std::string> list;
  for (const Document& document : read_all(paths, options)) {
    list.push_back(document.text);
  }
  return list;
}

TEST(Source, TxtSeparators) {
  TemporaryFolder folder;
  const std::string path = folder.write("a.txt", "\n床前明月光，\n疑是地上霜。\n \t\n\nOne line\n\n\n");
  ReadOptions options;
  EXPECT_THAT(texts({path}, options), ElementsAre("床前明月光，\n疑是地上霜。", "One line"));
  options.separator = Separator::kLine;
  EXPECT_THAT(texts({path}, options), ElementsAre("床前明月光，", "疑是地上霜。", "One line"));
  options.separator = Separator::kFile;
  EXPECT_THAT(texts({path}, options), ElementsAre("床前明月光，\n疑是地上霜。\n \t\n\nOne line"));
}

TEST(Source, SaysWhereADocumentBegins) {
  TemporaryFolder folder;
  const std::vector<Document> documents = read_all({folder.write("a.txt", "\xEF\xBB\xBFone\r\n\r\n二\r\n三\r\n")});
  ASSERT_EQ(documents.size(), 2u);
  EXPECT_EQ(documents[0].text, "one");
  EXPECT_EQ(documents[0].line, 1);
  EXPECT_EQ(documents[0].offset, 3);
  EXPECT_EQ(documents[1].text, "二\n三");
  EXPECT_EQ(documents[1].line, 3);
  EXPECT_EQ(documents[1].offset, 10);
}

TEST(Source, FoldersAreSortedAndOtherFilesCounted) {
  TemporaryFolder folder;
  folder.write("data/b.txt", "b");
  folder.write("data/a/z.jsonl", "{\"text\": \"z\"}");
  folder.write("data/picture.png", "x");
  folder.write("data/.hidden/c.txt", "c");
  const std::string again = folder.write("data/b.txt", "b");
  DocumentReader reader({folder.path() + "/data", again}, ReadOptions{});
  std::vector<std::string> found;
  for (Document document; reader.next(document);) {
    found.push_back(document.text);
  }
  EXPECT_THAT(found, ElementsAre("z", "b"));
  EXPECT_EQ(reader.report().files, 2);
  EXPECT_EQ(reader.report().skipped_files, 1);
  EXPECT_EQ(reader.bytes_read(), reader.bytes_total());
}

std::vector<std::string> names_of(const std::string& folder) {
  std::vector<std::string> names;
  for (const InputFile& file : find_input_files({folder})) {
    names.push_back(fs::path(file.path).lexically_relative(folder).string());
  }
  return names;
}

TEST(Source, LinksAreFollowedAndCirclesEnd) {
  TemporaryFolder folder;
  folder.write("elsewhere/zh/text.txt", "春");
  folder.write("elsewhere/single.txt", "one");
  folder.write("data/en/text.txt", "a");
  fs::create_directory_symlink("../elsewhere/zh", folder.path() + "/data/zh");
  fs::create_symlink("../elsewhere/single.txt", folder.path() + "/data/single.txt");
  EXPECT_THAT(names_of(folder.path() + "/data"), ElementsAre("en/text.txt", "single.txt", "zh/text.txt"));
  fs::create_directory_symlink("..", folder.path() + "/data/en/up");
  fs::create_directory_symlink(".", folder.path() + "/data/self");
  fs::create_directory_symlink("../elsewhere/zh", folder.path() + "/data/zh2");
  EXPECT_THAT(names_of(folder.path() + "/data"), ElementsAre("en/text.txt", "single.txt", "zh/text.txt"));
}

TEST(Source, ALinkToNothingIsAnError) {
  TemporaryFolder folder;
  folder.write("data/en/text.txt", "a");
  fs::create_directory_symlink("../gone", folder.path() + "/data/zh");
  expect_error(Exit::kData, "data/zh can't be followed: No such file or directory",
               [&] { find_input_files({folder.path() + "/data"}); });
}

TEST(Source, JsonlTextAndPairs) {
  TemporaryFolder folder;
  const std::string path = folder.write(
      "a.jsonl", "{\"text\": \"caf\\u00e9\\r\\n\", \"id\": 3}\n\n{\"prompt\": \"问：\", \"response\": \"答\"}\n");
  const std::vector<Document> documents = read_all({path});
  ASSERT_EQ(documents.size(), 2u);
  EXPECT_EQ(documents[0].text, "café\n");
  EXPECT_EQ(documents[0].prompt_bytes, 0u);
  EXPECT_EQ(documents[1].text, "问：答");
  EXPECT_EQ(documents[1].prompt_bytes, 6u);
  EXPECT_EQ(documents[1].line, 3);
}

TEST(Source, JsonlFieldNames) {
  TemporaryFolder folder;
  const std::string path = folder.write("a.jsonl", "{\"text\": \"t\", \"q\": \"1+1? \", \"a\": \"2\"}\n");
  ReadOptions options;
  options.prompt_field = "q";
  options.response_field = "a";
  expect_error(Exit::kData, "a.jsonl:1: both \"text\" and \"q\"", [&] { texts({path}, options); });
  options.text_field = "";
  EXPECT_THAT(texts({path}, options), ElementsAre("1+1? 2"));
  options = {};
  options.text_field = "a";
  EXPECT_THAT(texts({path}, options), ElementsAre("2"));
}

TEST(Source, JsonlErrorsNameFileAndLine) {
  TemporaryFolder folder;
  const auto fails = [&](const std::string& line, const std::string& words) {
    const std::string path = folder.write("a.jsonl", "{\"text\": \"ok\"}\n" + line + "\n");
    expect_error(Exit::kData, "a.jsonl:2: " + words, [&] { texts({path}); });
  };
  fails("{\"text\": ", "byte 10: not valid JSON");
  fails("{\"text\": \"\\ud800\"}", "byte ");
  fails("[1]", "a JSON array, expected an object");
  fails("{\"text\": 3}", "\"text\" is a number, expected a string");
  fails("{\"prompt\": \"x\", \"answer\": \"y\"}",
        "expected \"text\", or \"prompt\" and \"response\"; found \"answer\", \"prompt\"");
  fails("{\"text\": \"a\\u0000b\"}", "\"text\" holds a NUL");
}

TEST(Source, EmptyDocumentsAreLeftOut) {
  TemporaryFolder folder;
  const std::string path = folder.write(
      "a.jsonl", "{\"text\": \" \\n\"}\n{\"prompt\": \"only\", \"response\": \"\"}\n{\"text\": \"x\"}\n");
  DocumentReader reader({path}, ReadOptions{});
  Document document;
  ASSERT_TRUE(reader.next(document));
  EXPECT_EQ(document.text, "x");
  EXPECT_FALSE(reader.next(document));
  EXPECT_EQ(reader.report().documents, 1);
  EXPECT_EQ(reader.report().empty_documents, 2);
}

TEST(Source, RefusesWhatIsNotUtf8) {
  TemporaryFolder folder;
  const auto fails = [&](const std::string& bytes, const std::string& words) {
    const std::string path = folder.write("a.txt", bytes);
    expect_error(Exit::kData, words, [&] { texts({path}); });
  };
  fails("good\nbad \xC3(\n", "a.txt:2: byte 5: not UTF-8 (0xC3)");
  fails("\xD6\xD0\xCE\xC4", "iconv -f gb18030 -t utf-8");
  fails("ab\ncut \xE4\xB8", "a.txt:2: byte 5: not UTF-8");
  fails(std::string("a\0b", 3), "a.txt:1: byte 2: a NUL byte");
  fails(std::string("\xFF\xFEh\0i\0", 6), "a.txt:1: byte 1: not UTF-8 but UTF-16LE; convert it: iconv -f utf-16");
  fails(std::string("\xFE\xFF\0h\0i", 6), "UTF-16BE");
  fails(std::string("h\0i\0!\0", 6), "UTF-16LE");
}

TEST(Source, RefusesPathsThatAreNoText) {
  TemporaryFolder folder;
  const std::string missing = folder.path() + "/nowhere";
  expect_error(Exit::kData, "/nowhere: no such file or folder", [&] { find_input_files({missing}); });
  const std::string path = folder.write("a.pdf", "x");
  expect_error(Exit::kData, "a.pdf: only .txt and .jsonl", [&] { find_input_files({path}); });
}

TEST(Source, LongLineIsOneDocument) {
  TemporaryFolder folder;
  std::string line;
  while (line.size() < (4u << 20)) {
    line += "春风 spring ";
  }
  const std::vector<Document> documents = read_all({folder.write("a.txt", line)});
  ASSERT_EQ(documents.size(), 1u);
  EXPECT_TRUE(documents[0].text == line);
}

TEST(Source, EmptyFile) {
  TemporaryFolder folder;
  EXPECT_TRUE(texts({folder.write("a.txt", "")}).empty());
  EXPECT_TRUE(texts({folder.write("b.txt", "\xEF\xBB\xBF\n")}).empty());
}

TEST(Source, SeparatorNames) {
  EXPECT_EQ(parse_separator("line"), Separator::kLine);
  expect_error(Exit::kUsage, "data.separator: \"tab\"", [] { parse_separator("tab"); });
}

}  // namespace
}  // namespace sz
