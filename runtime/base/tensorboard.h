// Scalars for TensorBoard: one event file a run, FOLDER/events.out.tfevents.SECONDS.socratic_zero.
//
// A file is TFRecords of Event messages (tensorflow/core/util/event.proto), written by hand: a record is a length, its
// masked CRC-32C, the message, and the message's masked CRC-32C.
// Thread: one at a time. Errors: those of io_error (base/files.h); what was written before stays whole.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sz {

class TensorBoardLog {
 public:
  using Values = std::vector<std::pair<std::string, double>>;  // (tag, value); TensorBoard keeps 32 bits

  // On resume goes on with FOLDER's newest file, from which all after the last event of a step up to
  // `keep_through_step` is cut off, so that no step stands twice; negative: a new file.
  explicit TensorBoardLog(const std::string& folder, int64_t keep_through_step = -1);
  ~TensorBoardLog();
  TensorBoardLog(const TensorBoardLog&) = delete;
  TensorBoardLog& operator=(const TensorBoardLog&) = delete;

  void write(int64_t step, const Values& values);
  // After a roll back: TensorBoard forgets what it was told of `step` and later ones.
  void take_back(int64_t step);

 private:
  void append(const std::string& event);

  std::string path_;
  int descriptor_ = -1;
  int64_t size_ = 0;  // bytes of whole records
};

// CRC-32C (Castagnoli), as in RFC 3720.
uint32_t crc32c(std::string_view bytes);

}  // namespace sz
