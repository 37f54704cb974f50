// sz.comm/1: ranks; collectives for the owner of residency.
#pragma once
#include <utility>

#include <sz/host.hpp>
#include <sz/host/comm.h>

namespace sz::inline sdk {

// A started collective; its buffers belong to it until wait(). The destructor waits too, dropping an error.
class Work {
 public:
  Work(const sz_comm* table, const sz_host* host, sz_work* work) : table_(table), host_(host), work_(work) {}
  Work(Work&& other) noexcept
      : table_(other.table_), host_(other.host_), work_(std::exchange(other.work_, nullptr)) {}
  Work& operator=(Work&& other) noexcept {
    std::swap(table_, other.table_);
    std::swap(host_, other.host_);
    std::swap(work_, other.work_);
    return *this;
  }
  ~Work() {
    detail::guard_quietly([this] { wait(); });
  }
  void wait() { wait_timed(); }
  // All zero where it has been waited for before.
  sz_work_times wait_timed() {
    sz_work_times times = {};
    if (sz_work* work = std::exchange(work_, nullptr)) check(table_->wait(host_, work, &times));
    return times;
  }
  bool done() const { return work_ == nullptr || table_->done(host_, work_) != 0; }

 private:
  const sz_comm* table_;
  const sz_host* host_;
  sz_work* work_;
};

class Comm : Interface<sz_comm> {
 public:
  explicit Comm(Host host) : Interface(host, SZ_COMM) {}

  int rank() const { return table().rank(raw()); }
  int size() const { return table().size(raw()); }

  [[nodiscard]] Work all_reduce(sz_channel channel, void* data, uint64_t count, sz_dtype dtype) {
    return started([&](sz_work** work) { return table().all_reduce(raw(), channel, data, count, dtype, work); });
  }
  [[nodiscard]] Work reduce_scatter(sz_channel channel, const void* in, void* out, uint64_t count, sz_dtype dtype) {
    return started([&](sz_work** work) {
      return table().reduce_scatter(raw(), channel, in, out, count, dtype, work);
    });
  }
  [[nodiscard]] Work all_gather(sz_channel channel, const void* in, void* out, uint64_t bytes) {
    return started([&](sz_work** work) { return table().all_gather(raw(), channel, in, out, bytes, work); });
  }
  [[nodiscard]] Work broadcast(sz_channel channel, void* data, uint64_t bytes, int root) {
    return started([&](sz_work** work) { return table().broadcast(raw(), channel, data, bytes, root, work); });
  }

 private:
  template <class Start>
  Work started(Start start) {
    sz_work* work = nullptr;
    check(start(&work));
    return Work(&table(), raw(), work);
  }
};

}  // namespace sz::inline sdk
