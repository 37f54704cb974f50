// Non-blocking MPI messages as requests.
#pragma once
// The C++ bindings of old MPI headers would ask for another library.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <string>
#include <vector>

#include "comm/transport.h"

namespace sz {

// Throws Error(kComm) "WHAT: MPI's message" unless `code` is MPI_SUCCESS.
void check_mpi(int code, const std::string& what);

// When unfinished messages are withdrawn, all together may take this much time to come to rest: a receive
// is cancelled unless its sender has begun; what has begun is let through.
class DrainTime {
 public:
  bool is_over();  // the clock starts with the first call

 private:
  double end_ = 0;
};

class MpiRequest final : public Request {
 public:
  // what: "sending to rank 3 on channel reduce"
  MpiRequest(std::string what, DrainTime& drain_time) : what_(std::move(what)), drain_time_(drain_time) {}
  ~MpiRequest() override;
  bool test() override;

  void send(const void* data, size_t bytes, int peer, int tag, MPI_Comm comm, size_t max_message_bytes);
  void receive(void* data, size_t capacity, int peer, int tag, MPI_Comm comm, size_t max_message_bytes);

 private:
  std::string what_;
  DrainTime& drain_time_;
  bool receives_ = false;
  bool done_ = false;
  std::vector<MPI_Request> requests_;  // one for each piece of at most max_message_bytes
};

}  // namespace sz
