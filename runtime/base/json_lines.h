// The file below both journals: whole lines or nothing. Private to base/.
// Thread: any.
#pragma once
#include <cstdint>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

#include "base/journal.h"

namespace sz {

class JsonLines {
 public:
  // Opens `path` for appending (its folder is made), cuts off a torn last line, then whatever
  // `keep_through_attempt` says (journal.h).
  JsonLines(std::string path, int64_t keep_through_attempt);
  ~JsonLines();
  JsonLines(const JsonLines&) = delete;
  JsonLines& operator=(const JsonLines&) = delete;
  void append(const nlohmann::ordered_json& object);

 private:
  void cut(int64_t size);

  const std::string path_;
  std::mutex mutex_;
  int descriptor_ = -1;
  int64_t size_ = 0;  // bytes of whole lines
};

nlohmann::ordered_json to_json(const Scalar& value);

}  // namespace sz
