// Collectives between the ranks of a run.
//
// Operations are enqueued in program order and run by one communication thread; on one channel they
// complete in that order, channels advance independently. All ranks must enqueue the same sequence on
// each channel. Sums are taken in fixed rank order (fp16 and bf16 accumulate in fp32 and round once),
// so every rank holds bit-identical results, over MPI and over threads alike.
//
// Every wait polls the abort channel: when any rank calls abort(), or is lost, all waits on all ranks
// throw Error(kComm) naming that rank and its reason.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/dtype.h"

namespace sz {

// One underlying communicator each, so that a long reduction never blocks a gather.
enum class Channel : uint8_t { kGather = 0, kReduce = 1, kScalar = 2, kData = 3 };
inline constexpr int kChannels = 4;

// A started operation. The buffers given to it belong to it until wait() returns or done() is true.
// Thread: any.
class Work {
 public:
  virtual ~Work() = default;
  virtual void wait() = 0;  // throws Error(kComm) after an abort
  virtual bool done() = 0;
};
using WorkPtr = std::shared_ptr<Work>;

struct AbortInfo {
  int rank;  // who gave up
  std::string reason;
};

class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  // Sum over ranks, in place. dtype: fp32, fp64, fp16, bf16, int64.
  virtual WorkPtr all_reduce(Channel, void* data, size_t count, DType) = 0;
  // in: size() * count elements; out: the sum of every rank's part rank(), count elements.
  virtual WorkPtr reduce_scatter(Channel, const void* in, void* out, size_t count, DType) = 0;
  // in: bytes; out: size() * bytes, by rank. in may be out + rank() * bytes.
  virtual WorkPtr all_gather(Channel, const void* in, void* out, size_t bytes) = 0;
  virtual WorkPtr broadcast(Channel, void* data, size_t bytes, int root) = 0;
  virtual WorkPtr barrier(Channel) = 0;

  // Tells every rank to stop waiting; returns at once. The first reason wins.
  virtual void abort(const std::string& reason) = 0;
  virtual std::optional<AbortInfo> aborted() const = 0;
};

// One rank, no peers: every operation is done when it returns.
std::unique_ptr<Communicator> make_single_communicator();

// Initialises MPI (MPI_THREAD_MULTIPLE not needed: all MPI calls happen on the communication thread)
// and returns the world. The destructor finalises MPI, or calls MPI_Abort(7) after an abort.
std::unique_ptr<Communicator> make_mpi_communicator();

// Ranks as threads in one process: calls body(comm) on `ranks` threads and joins them. The first
// exception is rethrown after all have ended (the other ranks are aborted with its message).
void run_thread_ranks(int ranks, const std::function<void(Communicator&)>& body);

}  // namespace sz
