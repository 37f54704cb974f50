// Stands in where link-grammar was not installed.
#include "scorer_syntax/depth_parser.h"
#include "text/model_files.h"

namespace sz::scorers {

std::unique_ptr<DepthParser> make_link_grammar_parser(int) {
  throw text::ModelError("link-grammar was not there when this was built: run ./scripts/setup.sh, which installs it, "
                         "then build again");
}

}  // namespace sz::scorers
