// Collectives between the ranks of a run.
//
// Operations are enqueued in program order and run by one communication thread; on one channel they
// complete in that order, channels advance independently. All ranks must enqueue the same sequence on
// each channel: operations that differ are found by their first message and abort the run with both
// ranks' names. Sums are taken element by element in fixed rank order 0..size()-1 (fp16 and bf16
// accumulate in fp32 and round once), so every rank holds bit-identical results, over MPI and over
// threads alike, and reduce_scatter gives the same bits as all_reduce.
//
// Every wait polls the abort channel: when any rank calls abort(), or is lost, all waits on all ranks
// throw Error(kComm) naming that rank and its reason.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/dtype.h"

namespace sz {

// One underlying communicator each, so that a long reduction never blocks a gather.
enum class Channel : uint8_t { kGather = 0, kReduce = 1, kScalar = 2, kData = 3 };
inline constexpr int kChannels = 4;
const char* name_of(Channel channel);  // "gather", "reduce", "scalar", "data"

// Seconds of std::chrono::steady_clock; 0 until it happened.
struct WorkTimes {
  double posted = 0;    // enqueued by the caller
  double started = 0;   // first in its channel's queue, first message sent
  double finished = 0;  // result in place
};

// A started operation. The buffers given to it belong to it until wait() returns or throws, or done()
// is true. Dropping the last pointer before that, as an exception that unwinds does it, withdraws all that
// this rank has under way, returns when the buffers are free, and makes its later operations fail; the others
// hear nothing of it until this rank calls abort() with the real reason. Thread: any.
class Work {
 public:
  virtual ~Work() = default;
  virtual void wait() = 0;  // throws Error(kComm) where an abort came before the end
  virtual bool done() = 0;  // ended, well or by an abort: wait() will not block
  virtual WorkTimes times() const { return {}; }  // complete once done() is true
};
using WorkPtr = std::shared_ptr<Work>;

struct AbortInfo {
  int rank;  // who gave up
  std::string reason;
};

// One finished operation, for traces of the overlap with compute.
struct CommEvent {
  int rank;
  Channel channel;
  uint64_t sequence;      // position on its channel, from 0
  std::string operation;  // "all_reduce of 10 fp32"
  WorkTimes times;
};

struct CommOptions {
  double timeout_s = 600;                // an operation without progress for so long aborts the run; 0: never
  size_t segment_bytes = 256 << 10;      // long sums travel in pieces of this size, a multiple of 64; the same on all ranks
  size_t max_message_bytes = 1u << 30;   // MPI counts are int: longer messages are cut; 4 KiB or more
  std::function<void(const CommEvent&)> on_finished;  // on the communication thread; must be quick
};

class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  // Sum over ranks, in place. dtype: fp32, fp64, fp16, bf16, int64 (wraps).
  virtual WorkPtr all_reduce(Channel, void* data, size_t count, DType) = 0;
  // in: size() * count elements; out: the sum of every rank's part rank(), count elements.
  // out may be in + rank() * count elements.
  virtual WorkPtr reduce_scatter(Channel, const void* in, void* out, size_t count, DType) = 0;
  // in: bytes; out: size() * bytes, by rank. in may be out + rank() * bytes.
  virtual WorkPtr all_gather(Channel, const void* in, void* out, size_t bytes) = 0;
  virtual WorkPtr broadcast(Channel, void* data, size_t bytes, int root) = 0;
  virtual WorkPtr barrier(Channel) = 0;

  // Tells every rank to stop waiting; returns at once. The first reason that a rank hears of wins there.
  // Thread: any. Later operations end at once, and their wait() throws.
  virtual void abort(const std::string& reason) = 0;
  virtual std::optional<AbortInfo> aborted() const = 0;
};

// One rank, no peers: every operation is done when it returns. After abort() operations throw in wait().
std::unique_ptr<Communicator> make_single_communicator();

// Initialises MPI (MPI_THREAD_MULTIPLE not needed: all MPI calls happen on the communication thread) and
// returns the world; once a process. Throws Error(kComm). The destructor finishes what was enqueued, waits
// until every rank is there and finalises MPI. After an abort it gives the others a second to say why they
// stop, then ends the process by MPI_Abort with exit code 7: write the log out before. Destroyed while an
// exception unwinds, it aborts first.
std::unique_ptr<Communicator> make_mpi_communicator(const CommOptions& options = {});

// Ranks as threads in one process, one communicator each, by rank; any thread may use and destroy one.
std::vector<std::unique_ptr<Communicator>> make_thread_communicators(int ranks, const CommOptions& options = {});

// Calls body(comm) on `ranks` threads and joins them. The first exception is rethrown after all have ended
// (the other ranks are aborted with its message).
void run_thread_ranks(int ranks, const std::function<void(Communicator&)>& body, const CommOptions& options = {});

}  // namespace sz
