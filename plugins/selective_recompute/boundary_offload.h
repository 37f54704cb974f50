// Boundary tensors out of tensor memory between forward and backward: their bytes go into a file, their storages are
// emptied, and filled again ahead of backward. Whatever shares the storage, such as what a graph has saved, sees the
// bytes again.
#pragma once
#include <ATen/core/Tensor.h>

#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "byte_store.h"

namespace recompute {

// Thread: main. Errors: those of the file, see ByteStore.
class BoundaryOffload {
 public:
  explicit BoundaryOffload(const std::string& folder) : store_(std::make_unique<ByteStore>(folder)) {}

  // After a segment's forward. `outputs` are looked at for the input's bytes: where they are the same, it stays.
  // Returns how many bytes will go.
  uint64_t put_away(int segment, const at::Tensor& input, const std::vector<at::Tensor>& outputs);
  // Empties the storages whose bytes are in the file by now.
  void empty_written();
  // The same for all of them, waiting for the file: so that memory doesn't depend on the disk's speed.
  void finish_writing();
  // Before the backward of `segment`: its bytes are there at return; those of segments before it begin to come.
  void bring_back(int segment);
  // Of a pass that was broken off.
  void forget();

  uint64_t bytes_put_away() const { return put_away_; }  // in all
  uint64_t bytes_away() const { return away_; }          // now
  size_t waiting() const { return boundaries_.size(); }  // boundaries put away, or on the way

 private:
  enum class State { kWriting, kAway, kReading };
  struct Boundary {
    at::Tensor tensor;
    uint64_t bytes = 0, offset = 0;
    State state = State::kWriting;
    ByteStore::TransferPtr transfer;
  };
  void begin_reading(Boundary& boundary);

  static constexpr int kAhead = 2;  // segments
  std::map<int, Boundary> boundaries_;
  std::list<Boundary> draining_;  // wanted back while they were still being written
  uint64_t put_away_ = 0, away_ = 0;
  std::unique_ptr<ByteStore> store_;  // last: its thread ends before the memory that it works on
};

}  // namespace recompute
