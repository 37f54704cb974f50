// Dictionaries and models, as scripts/setup.sh puts them into one folder.
#pragma once
#include <stdexcept>
#include <string>

namespace sz::text {

// A model that isn't there or can't be read; the message names the command that brings it.
class ModelError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The folder to use: `configured`, or where that is empty the one that the build was made with.
std::string models_folder(const std::string& configured);

// The whole file. Errors: ModelError; `what` says what it is ("the Chinese dictionary").
std::string read_model(const std::string& path, const std::string& what);
[[noreturn]] void missing_model(const std::string& path, const std::string& what);

}  // namespace sz::text
