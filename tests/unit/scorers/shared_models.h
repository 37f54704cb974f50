// Models that the tests share: loaded once a process.
#pragma once
#include <memory>
#include <string>

#include "text/model_files.h"
#include "text/words.h"

namespace sz::scorers {

inline std::shared_ptr<const text::WordSplitter> splitter() {
  static const auto loaded =
      std::make_shared<const text::WordSplitter>(text::WordSplitter::load(text::models_folder("")));
  return loaded;
}

}  // namespace sz::scorers
