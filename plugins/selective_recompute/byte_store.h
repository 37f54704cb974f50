// Bytes put away in an unlinked file and fetched again, by a thread of its own. Pure C++.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace recompute {

enum class Fault : uint8_t { kFolder, kFull, kBroken };  // one that can't be used; a disk that is full, or that fails

// What went wrong with the file, and what to do.
class StoreError : public std::runtime_error {
 public:
  StoreError(Fault fault, const std::string& message) : std::runtime_error(message), fault_(fault) {}
  Fault fault() const { return fault_; }

 private:
  Fault fault_;
};

// Errors: StoreError. Thread: all members on one thread, which is not the store's.
class ByteStore {
 public:
  // One transfer. Its memory belongs to it until done() or wait().
  class Transfer {
   public:
    bool done() const;
    void wait() const;  // throws what went wrong

   private:
    friend class ByteStore;
    ByteStore* store_ = nullptr;
    char* memory_ = nullptr;
    uint64_t bytes_ = 0, offset_ = 0;
    bool write_ = false;
    bool done_ = false;  // guarded by the store's mutex
    std::optional<StoreError> error_;  // the same
  };
  using TransferPtr = std::shared_ptr<Transfer>;

  // The file is in `folder`, and gone from it at once.
  explicit ByteStore(const std::string& folder);
  ~ByteStore();  // waits for the transfer in progress
  ByteStore(const ByteStore&) = delete;

  // A place for so many bytes, of those given back where one fits.
  uint64_t take_place(uint64_t bytes);
  void give_place(uint64_t offset, uint64_t bytes);

  TransferPtr write(const void* from, uint64_t bytes, uint64_t offset);
  TransferPtr read(void* to, uint64_t bytes, uint64_t offset);
  uint64_t file_bytes() const { return end_; }

 private:
  TransferPtr start(char* memory, uint64_t bytes, uint64_t offset, bool write);
  void work();
  void carry_out(Transfer& transfer);

  int file_ = -1;
  uint64_t end_ = 0;
  struct Place {
    uint64_t offset, bytes;
  };
  std::vector<Place> free_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<TransferPtr> queue_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace recompute
