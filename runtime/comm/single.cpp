// One rank without peers: every operation is a copy at most.
#include <cstring>
#include <mutex>

#include "base/error.h"
#include "comm/backoff.h"
#include "comm/communicator.h"
#include "comm/sum.h"

namespace sz {
namespace {

class DoneWork final : public Work {
 public:
  explicit DoneWork(std::optional<AbortInfo> abort) : abort_(std::move(abort)), time_(steady_seconds()) {}

  void wait() override {
    if (abort_) throw Error(Exit::kComm, "rank 0 gave up: " + abort_->reason);
  }
  bool done() override { return true; }
  WorkTimes times() const override { return {time_, time_, time_}; }

 private:
  std::optional<AbortInfo> abort_;
  double time_;
};

class SingleCommunicator final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }

  WorkPtr all_reduce(Channel, void*, size_t, DType dtype) override {
    SZ_ASSERT(is_summable(dtype));
    return done();
  }

  WorkPtr reduce_scatter(Channel, const void* in, void* out, size_t count, DType dtype) override {
    SZ_ASSERT(is_summable(dtype));
    return copied(in, out, count * size_of(dtype));
  }

  WorkPtr all_gather(Channel, const void* in, void* out, size_t bytes) override { return copied(in, out, bytes); }

  WorkPtr broadcast(Channel, void*, size_t, int root) override {
    SZ_ASSERT(root == 0);
    return done();
  }

  WorkPtr barrier(Channel) override { return done(); }

  void abort(const std::string& reason) override {
    const std::lock_guard lock(mutex_);
    if (!abort_) abort_ = AbortInfo{0, reason};
  }

  std::optional<AbortInfo> aborted() const override {
    const std::lock_guard lock(mutex_);
    return abort_;
  }

 private:
  WorkPtr done() { return std::make_shared<DoneWork>(aborted()); }

  WorkPtr copied(const void* in, void* out, size_t bytes) {
    if (bytes > 0 && in != out) std::memmove(out, in, bytes);
    return done();
  }

  mutable std::mutex mutex_;
  std::optional<AbortInfo> abort_;
};

}  // namespace

std::unique_ptr<Communicator> make_single_communicator() { return std::make_unique<SingleCommunicator>(); }

}  // namespace sz
