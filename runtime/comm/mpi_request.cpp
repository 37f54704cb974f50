#include "comm/mpi_request.h"

#include <algorithm>

#include "base/error.h"
#include "comm/backoff.h"

namespace sz {
namespace {

constexpr double kDrainSeconds = 0.2;

// Calls post(offset, bytes) for each piece; once for an empty message.
template <typename Post>
void for_each_piece(size_t bytes, size_t max_bytes, const Post& post) {
  size_t offset = 0;
  do {
    const size_t piece = std::min(max_bytes, bytes - offset);
    post(offset, static_cast<int>(piece));
    offset += piece;
  } while (offset < bytes);
}

}  // namespace

void check_mpi(int code, const std::string& what) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Error(Exit::kComm, what + " failed: " + std::string(text, length));
}

bool DrainTime::is_over() {
  const double now = steady_seconds();
  if (end_ == 0) end_ = now + kDrainSeconds;
  return now > end_;
}

void MpiRequest::send(const void* data, size_t bytes, int peer, int tag, MPI_Comm comm, size_t max_message_bytes) {
  for_each_piece(bytes, max_message_bytes, [&](size_t offset, int piece) {
    MPI_Request& request = requests_.emplace_back(MPI_REQUEST_NULL);
    const void* from = static_cast<const std::byte*>(data) + offset;
    check_mpi(MPI_Isend(from, piece, MPI_BYTE, peer, tag, comm, &request), what_);
  });
}

void MpiRequest::receive(void* data, size_t capacity, int peer, int tag, MPI_Comm comm, size_t max_message_bytes) {
  receives_ = true;
  for_each_piece(capacity, max_message_bytes, [&](size_t offset, int piece) {
    MPI_Request& request = requests_.emplace_back(MPI_REQUEST_NULL);
    void* to = static_cast<std::byte*>(data) + offset;
    check_mpi(MPI_Irecv(to, piece, MPI_BYTE, peer, tag, comm, &request), what_);
  });
}

bool MpiRequest::test() {
  if (done_) return true;
  int flag = 0;
  const auto count = static_cast<int>(requests_.size());
  const int code = MPI_Testall(count, requests_.data(), &flag, MPI_STATUSES_IGNORE);
  if (code != MPI_SUCCESS) done_ = true;  // nothing is left to withdraw
  check_mpi(code, what_);
  done_ = flag != 0;
  return done_;
}

MpiRequest::~MpiRequest() {
  if (done_) return;
  if (receives_) {
    for (MPI_Request& request : requests_) {
      if (request != MPI_REQUEST_NULL) MPI_Cancel(&request);
    }
  }
  Backoff backoff;
  try {
    while (!test() && !drain_time_.is_over()) backoff.pause(false);
  } catch (const Error&) {
    // The run is ending with an earlier reason.
  }
}

}  // namespace sz
