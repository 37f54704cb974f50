// The depth of a sentence's syntax tree, by one parser or another.
#pragma once
#include <memory>
#include <optional>
#include <string>

namespace sz::scorers {

// Thread: any, once made; several sentences at once.
class DepthParser {
 public:
  virtual ~DepthParser() = default;
  // Levels of the tree, at least 1; nothing where the parser gave up (time, memory, no analysis). `fragment`: words may
  // stay outside the tree, which costs a parser much time where the text is long.
  virtual std::optional<double> depth(const std::string& sentence, bool fragment) const = 0;
};

// English by link-grammar: levels of the constituent tree. `seconds`: of processor time that a sentence is given, at
// least 1. The parser's clock counts the work of all threads of the process, so that, for a sentence never to get less,
// it is set to `seconds` times the number of processors: with the other threads idle a sentence may take as much.
// Errors: text::ModelError.
std::unique_ptr<DepthParser> make_link_grammar_parser(int seconds);

// Any language by a UDPipe model: levels of the dependency tree, the root being the first. It has no clock: its work
// is linear in the sentence's length. Errors: text::ModelError.
std::unique_ptr<DepthParser> make_udpipe_parser(const std::string& model);

}  // namespace sz::scorers
