#include "byte_store.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace recompute {
namespace {

Fault fault_of(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
    case ENOMEM: return Fault::kFull;
    case EIO: return Fault::kBroken;
    default: return Fault::kFolder;
  }
}

const char* advice_for(Fault fault) {
  switch (fault) {
    case Fault::kFolder: return "set offload_path to a folder that can be written to";
    case Fault::kFull: return "free some space, or set offload_path to a folder on another disk";
    case Fault::kBroken: return "look at the system's log, and set offload_path to a folder on another disk";
  }
  return "";
}

StoreError error_of(const std::string& what, int error) {
  const Fault fault = fault_of(error);
  return StoreError(fault, what + ": " + std::strerror(error) + "; " + advice_for(fault));
}

}  // namespace

bool ByteStore::Transfer::done() const {
  const std::lock_guard lock(store_->mutex_);
  return done_;
}

void ByteStore::Transfer::wait() const {
  std::unique_lock lock(store_->mutex_);
  store_->changed_.wait(lock, [this] { return done_; });
  if (error_) throw *error_;
}

ByteStore::ByteStore(const std::string& folder) {
  std::string path = folder + "/offload-XXXXXX";
  file_ = mkstemp(path.data());
  if (file_ < 0) {
    throw error_of("offload = \"host\": no file can be made in " + folder, errno);
  }
  unlink(path.c_str());
  thread_ = std::thread([this] { work(); });
}

ByteStore::~ByteStore() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
  close(file_);
}

uint64_t ByteStore::take_place(uint64_t bytes) {
  for (size_t i = 0; i < free_.size(); ++i) {
    if (free_[i].bytes != bytes) continue;
    const uint64_t offset = free_[i].offset;
    free_.erase(free_.begin() + int64_t(i));
    return offset;
  }
  const uint64_t offset = end_;
  end_ += bytes;
  return offset;
}

void ByteStore::give_place(uint64_t offset, uint64_t bytes) { free_.push_back({offset, bytes}); }

ByteStore::TransferPtr ByteStore::write(const void* from, uint64_t bytes, uint64_t offset) {
  return start(const_cast<char*>(static_cast<const char*>(from)), bytes, offset, true);
}

ByteStore::TransferPtr ByteStore::read(void* to, uint64_t bytes, uint64_t offset) {
  return start(static_cast<char*>(to), bytes, offset, false);
}

ByteStore::TransferPtr ByteStore::start(char* memory, uint64_t bytes, uint64_t offset, bool write) {
  auto transfer = std::make_shared<Transfer>();
  transfer->store_ = this;
  transfer->memory_ = memory;
  transfer->bytes_ = bytes;
  transfer->offset_ = offset;
  transfer->write_ = write;
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(transfer);
  }
  changed_.notify_all();
  return transfer;
}

void ByteStore::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stop_ || !queue_.empty(); });
    if (stop_) return;
    const TransferPtr transfer = queue_.front();
    queue_.pop_front();
    lock.unlock();
    carry_out(*transfer);
    lock.lock();
    transfer->done_ = true;
    changed_.notify_all();
  }
}

void ByteStore::carry_out(Transfer& t) {
  uint64_t at = 0;
  while (at < t.bytes_) {
    const auto offset = off_t(t.offset_ + at);
    const ssize_t n = t.write_ ? pwrite(file_, t.memory_ + at, t.bytes_ - at, offset)
                               : pread(file_, t.memory_ + at, t.bytes_ - at, offset);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {  // 0: somebody has cut the file short
      const int error = n < 0 ? errno : EIO;
      t.error_ = error_of(std::string("offload: ") + (t.write_ ? "writing" : "reading") + " failed", error);
      return;
    }
    at += uint64_t(n);
  }
}

}  // namespace recompute
