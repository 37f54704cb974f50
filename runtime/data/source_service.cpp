#include "data/source_service.h"

#include "base/error.h"

namespace sz {

std::vector<int64_t> Source::encode(std::string_view) const {
  throw Error(Exit::kData, "this data set holds tokens but no tokenizer, so that changed texts can't be put back into it");
}

}  // namespace sz
