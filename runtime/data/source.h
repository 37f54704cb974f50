// Reads documents out of .txt and .jsonl files and folders.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sz {

// What separates the documents of a .txt file.
enum class Separator : uint8_t {
  kBlankLine,  // one or more lines without anything but white space (the default: paragraphs, poems, articles)
  kLine,       // every line is a document
  kFile,       // every file is one
};

// "blank_line" | "line" | "file"; Error(kUsage) for anything else.
Separator parse_separator(const std::string& name);

struct ReadOptions {
  Separator separator = Separator::kBlankLine;
  // Fields of a .jsonl line. A line has the text, or prompt and response; both at once are an error, which an empty
  // name here resolves: that field is then not looked for.
  std::string text_field = "text";
  std::string prompt_field = "prompt";
  std::string response_field = "response";
};

struct Document {
  std::string text;          // valid UTF-8 without NUL, lines end in '\n'; a pair is prompt + response
  size_t prompt_bytes = 0;   // leading bytes of text that are the prompt
  bool pair = false;         // of prompt and response
  int32_t file = 0;          // index into DocumentReader::files()
  int64_t line = 0;          // where it begins, from 1
  int64_t offset = 0;        // where it begins, in bytes of the file
};

struct ReadReport {
  int64_t files = 0;              // read
  int64_t skipped_files = 0;      // of other extensions in folders
  int64_t documents = 0;
  int64_t empty_documents = 0;    // left out: nothing but white space
  int64_t text_bytes = 0;         // of documents
};

struct InputFile {
  std::string path;  // as found: the given path, or below it
  int64_t bytes = 0;
  int64_t modified_ns = 0;
};

// Files that `paths` name: a file stands for itself, a folder for all .txt and .jsonl files below it, sorted by path;
// a file named twice counts once. Names that begin with a dot are left out of folders.
// Errors: Error(kData) for a path that is missing, can't be read or has another extension.
std::vector<InputFile> find_input_files(const std::vector<std::string>& paths, int64_t* skipped = nullptr);

// Documents in the order of files and lines, one in memory at a time, whatever the file's size.
// Text is checked: a UTF-8 byte order mark is stripped, CRLF becomes LF, and Error(kData) says `file:line: byte N` and
// what to do about UTF-16, other encodings, NUL bytes and broken JSON. Thread: one at a time.
class DocumentReader {
 public:
  DocumentReader(const std::vector<std::string>& paths, const ReadOptions& options);
  DocumentReader(std::vector<InputFile> files, const ReadOptions& options);
  ~DocumentReader();

  // False at the end. `document` is overwritten.
  bool next(Document& document);

  const std::vector<InputFile>& files() const;
  const ReadReport& report() const;  // so far
  int64_t bytes_read() const;        // of files, for progress
  int64_t bytes_total() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sz
