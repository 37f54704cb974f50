// Stands in where UDPipe was not built.
#include "scorer_syntax/depth_parser.h"
#include "text/model_files.h"

namespace sz::scorers {

std::unique_ptr<DepthParser> make_udpipe_parser(const std::string&) {
  throw text::ModelError("UDPipe was not there when this was built: run ./scripts/setup.sh, which builds it, then "
                         "build again");
}

}  // namespace sz::scorers
