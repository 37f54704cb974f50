#include <exception>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "comm/engine_communicator.h"
#include "comm/thread_transport.h"

namespace sz {
namespace {

// The first exception of any rank.
class FirstError {
 public:
  void keep(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr error_;
};

void run_rank(std::unique_ptr<Communicator> comm, const std::function<void(Communicator&)>& body, FirstError& first) {
  try {
    body(*comm);
  } catch (const std::exception& error) {
    first.keep(std::current_exception());
    comm->abort(error.what());
  } catch (...) {
    first.keep(std::current_exception());
    comm->abort("it threw something that is no std::exception");
  }
}

}  // namespace

std::vector<std::unique_ptr<Communicator>> make_thread_communicators(int ranks, const CommOptions& options) {
  SZ_ASSERT(ranks > 0);
  const auto world = make_thread_world(ranks);
  std::vector<std::unique_ptr<Communicator>> comms;
  for (int rank = 0; rank < ranks; ++rank) {
    comms.push_back(make_engine_communicator([world, rank] { return make_thread_transport(world, rank); }, options));
  }
  return comms;
}

void run_thread_ranks(int ranks, const std::function<void(Communicator&)>& body, const CommOptions& options) {
  auto comms = make_thread_communicators(ranks, options);
  FirstError first;
  std::vector<std::thread> threads;
  for (auto& comm : comms) {
    threads.emplace_back([&first, &body, comm = std::move(comm)]() mutable { run_rank(std::move(comm), body, first); });
  }
  for (std::thread& thread : threads) thread.join();
  first.rethrow();
}

}  // namespace sz
