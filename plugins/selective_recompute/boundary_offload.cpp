#include "boundary_offload.h"

#include <c10/core/StorageImpl.h>

#include <utility>

namespace recompute {
namespace {

// Bytes of a tensor that has its storage for itself, as far as its shape tells; 0: it is not to be moved.
uint64_t bytes_of_whole_storage(const at::Tensor& tensor) {
  if (!tensor.defined() || !tensor.is_floating_point() || !tensor.device().is_cpu()) return 0;
  const uint64_t bytes = uint64_t(tensor.numel()) * tensor.element_size();
  const auto* const storage = tensor.storage().unsafeGetStorageImpl();
  return storage->allocator() != nullptr && storage->nbytes() == bytes ? bytes : 0;
}

}  // namespace

uint64_t BoundaryOffload::put_away(int segment, const at::Tensor& input, const std::vector<at::Tensor>& outputs) {
  const uint64_t bytes = bytes_of_whole_storage(input);
  if (bytes == 0 || boundaries_.count(segment) > 0) return 0;
  for (const at::Tensor& output : outputs) {
    if (output.defined() && output.storage().is_alias_of(input.storage())) return 0;
  }
  Boundary boundary;
  boundary.tensor = input.detach();
  boundary.bytes = bytes;
  boundary.offset = store_->take_place(bytes);
  boundary.transfer = store_->write(input.const_data_ptr(), bytes, boundary.offset);
  boundaries_.emplace(segment, std::move(boundary));
  return bytes;
}

void BoundaryOffload::empty_written() {
  for (auto& [segment, boundary] : boundaries_) {
    if (boundary.state != State::kWriting || !boundary.transfer->done()) continue;
    boundary.transfer->wait();
    auto* const storage = boundary.tensor.storage().unsafeGetStorageImpl();
    storage->set_data_ptr_noswap(at::DataPtr(nullptr, boundary.tensor.device()));
    storage->set_nbytes(0);
    boundary.state = State::kAway;
    put_away_ += boundary.bytes;
    away_ += boundary.bytes;
  }
  for (auto it = draining_.begin(); it != draining_.end();) {
    if (!it->transfer->done()) {
      ++it;
      continue;
    }
    store_->give_place(it->offset, it->bytes);
    it = draining_.erase(it);
  }
}

void BoundaryOffload::finish_writing() {
  for (auto& [segment, boundary] : boundaries_) {
    if (boundary.state == State::kWriting) boundary.transfer->wait();
  }
  empty_written();
}

void BoundaryOffload::begin_reading(Boundary& boundary) {
  auto* const storage = boundary.tensor.storage().unsafeGetStorageImpl();
  storage->set_data_ptr_noswap(storage->allocator()->allocate(boundary.bytes));
  storage->set_nbytes(boundary.bytes);
  boundary.transfer = store_->read(storage->mutable_data(), boundary.bytes, boundary.offset);
  boundary.state = State::kReading;
  away_ -= boundary.bytes;
}

void BoundaryOffload::bring_back(int segment) {
  for (int ahead = segment; ahead >= segment - kAhead; --ahead) {
    const auto found = boundaries_.find(ahead);
    if (found != boundaries_.end() && found->second.state == State::kAway) begin_reading(found->second);
  }
  const auto found = boundaries_.find(segment);
  if (found == boundaries_.end()) return;
  Boundary boundary = std::move(found->second);
  boundaries_.erase(found);
  if (boundary.state == State::kWriting) {
    draining_.push_back(std::move(boundary));
    return;
  }
  boundary.transfer->wait();
  store_->give_place(boundary.offset, boundary.bytes);
}

void BoundaryOffload::forget() {
  for (auto& [segment, boundary] : boundaries_) {
    if (boundary.state != State::kAway) {
      draining_.push_back(std::move(boundary));
      continue;
    }
    away_ -= boundary.bytes;
    store_->give_place(boundary.offset, boundary.bytes);
  }
  boundaries_.clear();
  empty_written();
}

}  // namespace recompute
