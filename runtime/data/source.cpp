#include "data/source.h"

#include <string_view>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "data/line_reader.h"

namespace sz {
namespace {

using Json = nlohmann::json;

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos; }

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

void replace_crlf(std::string& text) {
  size_t to = 0;
  for (size_t from = 0; from < text.size(); ++from) {
    if (text[from] != '\r' || from + 1 == text.size() || text[from + 1] != '\n') {
      text[to++] = text[from];
    }
  }
  text.resize(to);
}

std::string cite(const LineReader& lines) { return lines.path() + ":" + std::to_string(lines.line()) + ": "; }

std::string keys_of(const Json& object) {
  std::string list;
  for (const auto& item : object.items()) {
    list += (list.empty() ? "\"" : ", \"") + item.key() + "\"";
  }
  return list.empty() ? "no keys" : list;
}

Json parse_object(const LineReader& lines, const std::string& line) {
  Json object;
  try {
    object = Json::parse(line);
  } catch (const Json::parse_error& e) {
    throw Error(Exit::kData, cite(lines) + "byte " + std::to_string(e.byte) +
                                 ": not valid JSON; every line of a .jsonl file is one JSON object");
  }
  if (!object.is_object()) {
    throw Error(Exit::kData, cite(lines) + "a JSON " + object.type_name() + ", expected an object");
  }
  return object;
}

std::string take_string(const LineReader& lines, const Json& object, const std::string& field) {
  const Json& value = object.at(field);
  if (!value.is_string()) {
    throw Error(Exit::kData, cite(lines) + "\"" + field + "\" is a " + value.type_name() + ", expected a string");
  }
  std::string text = value.get<std::string>();
  if (text.find('\0') != std::string::npos) {
    throw Error(Exit::kData, cite(lines) + "\"" + field + "\" holds a NUL character (\\u0000); take it out");
  }
  replace_crlf(text);
  return text;
}

void parse_record(const LineReader& lines, const std::string& line, const ReadOptions& options, Document& document) {
  const Json object = parse_object(lines, line);
  const auto has = [&](const std::string& field) { return !field.empty() && object.contains(field); };
  const bool text = has(options.text_field);
  const bool pair = has(options.prompt_field) && has(options.response_field);
  if (text && pair) {
    throw Error(Exit::kData, cite(lines) + "both \"" + options.text_field + "\" and \"" + options.prompt_field +
                                 "\" with \"" + options.response_field +
                                 "\"; set data.text_field or data.prompt_field to \"\" to leave that one out");
  }
  if (!text && !pair) {
    throw Error(Exit::kData, cite(lines) + "expected \"" + options.text_field + "\", or \"" + options.prompt_field +
                                 "\" and \"" + options.response_field + "\"; found " + keys_of(object) +
                                 "; set data.text_field, or data.prompt_field and data.response_field");
  }
  document.pair = pair;
  if (pair) {
    document.text = take_string(lines, object, options.prompt_field);
    document.prompt_bytes = document.text.size();
    document.text += take_string(lines, object, options.response_field);
  } else {
    document.text = take_string(lines, object, options.text_field);
  }
}

}  // namespace

Separator parse_separator(const std::string& name) {
  if (name == "blank_line") {
    return Separator::kBlankLine;
  }
  if (name == "line") {
    return Separator::kLine;
  }
  if (name == "file") {
    return Separator::kFile;
  }
  throw Error(Exit::kUsage, "data.separator: \"" + name + "\", expected \"blank_line\", \"line\" or \"file\"");
}

struct DocumentReader::Impl {
  std::vector<InputFile> files;
  ReadOptions options;
  ReadReport report;
  std::unique_ptr<LineReader> lines;
  size_t file = 0;  // the one that lines reads, or the next
  int64_t finished_bytes = 0;
  std::string line;

  bool next_of_file(Document& document);
  bool next_record(Document& document);
  bool next_block(Document& document);
  void begin(Document& document) const;
};

void DocumentReader::Impl::begin(Document& document) const {
  document.text.clear();
  document.prompt_bytes = 0;
  document.pair = false;
  document.file = static_cast<int32_t>(file);
  document.line = lines->line();
  document.offset = lines->offset();
}

bool DocumentReader::Impl::next_record(Document& document) {
  while (lines->next(line)) {
    if (is_blank(line)) {
      continue;
    }
    begin(document);
    parse_record(*lines, line, options, document);
    return true;
  }
  return false;
}

// Lines up to the separator, joined by '\n'. Blank lines at the document's ends are left out.
bool DocumentReader::Impl::next_block(Document& document) {
  bool begun = false;
  size_t text_end = 0;  // past the last line that isn't blank
  while (lines->next(line)) {
    const bool blank = is_blank(line);
    if (!begun) {
      if (blank) {
        continue;
      }
      begin(document);
      begun = true;
      document.text.swap(line);  // it may be huge
    } else if (blank && options.separator == Separator::kBlankLine) {
      break;
    } else {
      document.text += '\n';
      document.text += line;
    }
    if (!blank) {
      text_end = document.text.size();
    }
    if (options.separator == Separator::kLine) {
      break;
    }
  }
  document.text.resize(begun ? text_end : document.text.size());
  return begun;
}

bool DocumentReader::Impl::next_of_file(Document& document) {
  return ends_with(lines->path(), ".jsonl") ? next_record(document) : next_block(document);
}

DocumentReader::DocumentReader(const std::vector<std::string>& paths, const ReadOptions& options)
    : impl_(std::make_unique<Impl>()) {
  impl_->files = find_input_files(paths, &impl_->report.skipped_files);
  impl_->options = options;
}

DocumentReader::DocumentReader(std::vector<InputFile> files, const ReadOptions& options)
    : impl_(std::make_unique<Impl>()) {
  impl_->files = std::move(files);
  impl_->options = options;
}

DocumentReader::~DocumentReader() = default;

bool DocumentReader::next(Document& document) {
  Impl& reader = *impl_;
  while (reader.file < reader.files.size()) {
    if (!reader.lines) {
      reader.lines = std::make_unique<LineReader>(reader.files[reader.file].path);
    }
    while (reader.next_of_file(document)) {
      // A pair counts by its response: without one there would be nothing to learn but the end.
      if (is_blank(std::string_view(document.text).substr(document.prompt_bytes))) {
        ++reader.report.empty_documents;
        continue;
      }
      ++reader.report.documents;
      reader.report.text_bytes += static_cast<int64_t>(document.text.size());
      return true;
    }
    reader.finished_bytes += reader.lines->bytes_read();
    reader.lines.reset();
    ++reader.file;
    ++reader.report.files;
  }
  return false;
}

const std::vector<InputFile>& DocumentReader::files() const { return impl_->files; }
const ReadReport& DocumentReader::report() const { return impl_->report; }

int64_t DocumentReader::bytes_read() const {
  return impl_->finished_bytes + (impl_->lines ? impl_->lines->bytes_read() : 0);
}

int64_t DocumentReader::bytes_total() const {
  int64_t bytes = 0;
  for (const InputFile& file : impl_->files) {
    bytes += file.bytes;
  }
  return bytes;
}

}  // namespace sz
