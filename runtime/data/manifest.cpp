#include "data/manifest.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "data/document_table.h"

namespace sz {
namespace {

using Json = nlohmann::json;

constexpr int kVersion = 1;

Json to_json(const PrepareReport& report) {
  Json languages = Json::object();
  for (size_t i = 0; i < report.languages.size(); ++i) {
    const LanguageReport& language = report.languages[i];
    languages[language_tags()[i]] = {{"documents", language.documents},
                                     {"validation_documents", language.validation_documents},
                                     {"bytes", language.bytes},
                                     {"tokens", language.tokens}};
  }
  return {{"files", report.files},
          {"skipped_files", report.skipped_files},
          {"documents", report.documents},
          {"empty_documents", report.empty_documents},
          {"inexact_documents", report.inexact_documents},
          {"bytes", report.bytes},
          {"tokens", report.tokens},
          {"languages", languages}};
}

PrepareReport report_from(const Json& json) {
  PrepareReport report;
  json.at("files").get_to(report.files);
  json.at("skipped_files").get_to(report.skipped_files);
  json.at("documents").get_to(report.documents);
  json.at("empty_documents").get_to(report.empty_documents);
  json.at("inexact_documents").get_to(report.inexact_documents);
  json.at("bytes").get_to(report.bytes);
  json.at("tokens").get_to(report.tokens);
  for (size_t i = 0; i < report.languages.size(); ++i) {
    const Json& language = json.at("languages").at(language_tags()[i]);
    language.at("documents").get_to(report.languages[i].documents);
    language.at("validation_documents").get_to(report.languages[i].validation_documents);
    language.at("bytes").get_to(report.languages[i].bytes);
    language.at("tokens").get_to(report.languages[i].tokens);
  }
  return report;
}

Manifest manifest_from(const Json& json) {
  Manifest manifest;
  json.at("key").get_to(manifest.key);
  json.at("vocabulary").get_to(manifest.vocabulary);
  json.at("shards").get_to(manifest.shards);
  json.at("fingerprint").get_to(manifest.fingerprint);
  json.at("files").get_to(manifest.files);
  json.at("parts").get_to(manifest.parts);
  manifest.report = report_from(json.at("report"));
  return manifest;
}

void check_parts(const std::string& folder, const Manifest& manifest) {
  for (const auto& [name, bytes] : manifest.parts) {
    std::error_code code;
    const auto found = std::filesystem::file_size(folder + "/" + name, code);
    if (code || static_cast<int64_t>(found) != bytes) {
      throw Error(Exit::kData, folder + "/" + name + ": " +
                                   (code ? code.message() : "has " + std::to_string(found) + " bytes") +
                                   ", expected " + std::to_string(bytes) + " bytes; prepare the data again");
    }
  }
}

std::string describe_language(const std::string& tag, const LanguageReport& language) {
  char line[200];
  const double bytes_per_token = double(language.bytes) / double(std::max<int64_t>(1, language.tokens));
  std::snprintf(line, sizeof line,
                "  %-5s %9lld documents (%lld validation) %12lld bytes %11lld tokens  %.2f bytes/token\n", tag.c_str(),
                static_cast<long long>(language.documents), static_cast<long long>(language.validation_documents),
                static_cast<long long>(language.bytes), static_cast<long long>(language.tokens), bytes_per_token);
  return line;
}

}  // namespace

std::string describe(const PrepareReport& report) {
  std::string text = std::to_string(report.files) + " files, " + std::to_string(report.documents) + " documents";
  if (report.skipped_files > 0) {
    text += ", " + std::to_string(report.skipped_files) + " files of other kinds skipped";
  }
  if (report.empty_documents > 0) {
    text += ", " + std::to_string(report.empty_documents) + " empty documents left out";
  }
  text += "\n";
  for (size_t i = 0; i < report.languages.size(); ++i) {
    if (report.languages[i].documents > 0) {
      text += describe_language(language_tags()[i], report.languages[i]);
    }
  }
  text.pop_back();
  return text;
}

void save_manifest(const std::string& folder, const Manifest& manifest) {
  const Json json = {{"format", "socratic-zero data"},
                     {"version", kVersion},
                     {"key", manifest.key},
                     {"vocabulary", manifest.vocabulary},
                     {"shards", manifest.shards},
                     {"fingerprint", manifest.fingerprint},
                     {"files", manifest.files},
                     {"parts", manifest.parts},
                     {"report", to_json(manifest.report)}};
  // A file name need not be UTF-8: such bytes are replaced, not a reason to fail.
  write_file_atomically(folder + "/manifest.json", json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

Manifest load_manifest(const std::string& folder) {
  const std::string path = folder + "/manifest.json";
  if (!std::filesystem::exists(path)) {
    throw Error(Exit::kData, folder + ": not a prepared data set (no manifest.json); prepare the data first");
  }
  Manifest manifest;
  try {
    const Json json = Json::parse(read_file(path));
    if (json.at("version").get<int>() != kVersion) {
      throw Error(Exit::kData, path + ": made by another version; prepare the data again");
    }
    manifest = manifest_from(json);
  } catch (const Json::exception& e) {
    throw Error(Exit::kData, path + ": damaged (" + e.what() + "); prepare the data again");
  }
  check_parts(folder, manifest);
  return manifest;
}

}  // namespace sz
