#include "comm/mpi_transport.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <vector>

#include "base/error.h"
#include "comm/backoff.h"
#include "comm/engine_communicator.h"
#include "comm/mpi_request.h"

namespace sz {
namespace {

constexpr double kLastWordsSeconds = 1;  // after an abort: for all ranks to say why they stop

// What travels on the control communicator, cut after the text's end.
struct ControlMessage {
  enum Kind : int32_t { kAbort, kDeparted };
  int32_t kind = kAbort;
  int32_t rank = 0;
  uint32_t text_bytes = 0;
  char text[4000] = "";

  size_t bytes() const { return offsetof(ControlMessage, text) + text_bytes; }
};

void set_text(ControlMessage& message, const std::string& text) {
  size_t bytes = std::min(text.size(), sizeof(message.text));
  const auto inside_character = [&](size_t i) { return i < text.size() && (text[i] & 0xc0) == 0x80; };
  while (bytes > 0 && inside_character(bytes)) --bytes;
  std::memcpy(message.text, text.data(), bytes);
  message.text_bytes = static_cast<uint32_t>(bytes);
}

class MpiTransport final : public Transport {
 public:
  explicit MpiTransport(size_t max_message_bytes);

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  RequestPtr send(int peer, Channel channel, Tag tag, const void* data, size_t bytes) override;
  RequestPtr receive(int peer, Channel channel, Tag tag, void* data, size_t capacity) override;

  void announce_abort(const AbortInfo& info) noexcept override;
  std::optional<AbortInfo> poll_abort() noexcept override;
  bool departed(int peer) override { return departed_[peer]; }
  void close(bool aborted) noexcept override;

 private:
  void post_control_receive();
  void send_control(const ControlMessage& message);
  void poll_control();
  bool all_departed() const;
  bool is_first_departed() const;
  void wait_for_others(bool aborted);
  void finalize();

  size_t max_message_bytes_;
  int rank_ = 0;
  int size_ = 1;
  std::array<MPI_Comm, kChannels> channels_;
  MPI_Comm control_ = MPI_COMM_NULL;
  DrainTime drain_time_;
  ControlMessage incoming_;
  MPI_Request incoming_request_ = MPI_REQUEST_NULL;
  std::list<ControlMessage> outgoing_;  // kept until the end: sent at most twice
  std::vector<MPI_Request> outgoing_requests_;
  std::vector<bool> departed_;
  std::optional<AbortInfo> heard_;
};

MpiTransport::MpiTransport(size_t max_message_bytes) : max_message_bytes_(max_message_bytes) {
  // First messages are received into more room than they fill, so they must travel in one piece.
  SZ_ASSERT(max_message_bytes >= Collective::kFirstMessageBytes && max_message_bytes <= 0x7fffffffu);
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized) throw Error(Exit::kComm, "MPI was initialised before: a process can make one MPI communicator");
  int provided = 0;
  check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
  if (provided < MPI_THREAD_FUNNELED) {
    MPI_Finalize();
    throw Error(Exit::kComm, "this MPI allows no threads beside its own; use a build with MPI_THREAD_FUNNELED");
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // duplicates inherit it
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  for (MPI_Comm& channel : channels_) check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &channel), "MPI_Comm_dup");
  check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &control_), "MPI_Comm_dup");
  departed_.resize(size_);
  departed_[rank_] = true;
  post_control_receive();
}

RequestPtr MpiTransport::send(int peer, Channel channel, Tag tag, const void* data, size_t bytes) {
  auto request = std::make_unique<MpiRequest>(
      "sending to rank " + std::to_string(peer) + " on channel " + name_of(channel), drain_time_);
  MPI_Comm comm = channels_[static_cast<size_t>(channel)];
  request->send(data, bytes, peer, static_cast<int>(tag), comm, max_message_bytes_);
  return request;
}

RequestPtr MpiTransport::receive(int peer, Channel channel, Tag tag, void* data, size_t capacity) {
  auto request = std::make_unique<MpiRequest>(
      "receiving from rank " + std::to_string(peer) + " on channel " + name_of(channel), drain_time_);
  MPI_Comm comm = channels_[static_cast<size_t>(channel)];
  request->receive(data, capacity, peer, static_cast<int>(tag), comm, max_message_bytes_);
  return request;
}

void MpiTransport::announce_abort(const AbortInfo& info) noexcept {
  ControlMessage message{.kind = ControlMessage::kAbort, .rank = info.rank};
  set_text(message, info.reason);
  send_control(message);
}

std::optional<AbortInfo> MpiTransport::poll_abort() noexcept {
  poll_control();
  return heard_;
}

void MpiTransport::post_control_receive() {
  MPI_Irecv(&incoming_, sizeof(incoming_), MPI_BYTE, MPI_ANY_SOURCE, 0, control_, &incoming_request_);
}

// Errors are left to the data channels and to the launcher, which learns of lost ranks by itself.
void MpiTransport::send_control(const ControlMessage& message) {
  const ControlMessage& kept = outgoing_.emplace_back(message);
  for (int peer = 0; peer < size_; ++peer) {
    if (peer == rank_) continue;
    MPI_Request& request = outgoing_requests_.emplace_back(MPI_REQUEST_NULL);
    MPI_Isend(&kept, static_cast<int>(kept.bytes()), MPI_BYTE, peer, 0, control_, &request);
  }
}

void MpiTransport::poll_control() {
  int flag = 0;
  while (MPI_Test(&incoming_request_, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag) {
    if (incoming_.kind == ControlMessage::kDeparted) {
      departed_[incoming_.rank] = true;
    } else if (!heard_) {
      heard_ = AbortInfo{incoming_.rank, std::string(incoming_.text, incoming_.text_bytes)};
    }
    post_control_receive();
  }
}

// One rank's MPI_Abort ends them all; several at once make the launcher print errors of its own. So the
// first one here calls it, and the others only if that had no effect.
bool MpiTransport::is_first_departed() const {
  return std::find(departed_.begin(), departed_.end(), true) == departed_.begin() + rank_;
}

bool MpiTransport::all_departed() const {
  return std::find(departed_.begin(), departed_.end(), false) == departed_.end();
}

// Waiting here rather than in MPI_Finalize leaves the core to others, and hears of aborts.
void MpiTransport::wait_for_others(bool aborted) {
  Backoff backoff;
  double deadline = 0;
  while (!all_departed()) {
    backoff.pause(false);
    poll_control();
    if (!aborted && !heard_) continue;
    const double now = steady_seconds();
    if (deadline == 0) deadline = now + kLastWordsSeconds;
    if (now > deadline) return;
  }
}

void MpiTransport::close(bool aborted) noexcept {
  send_control({.kind = ControlMessage::kDeparted, .rank = rank_});
  wait_for_others(aborted);
  if (!aborted && !heard_) return finalize();
  std::fflush(nullptr);
  if (!is_first_departed()) std::this_thread::sleep_for(std::chrono::duration<double>(kLastWordsSeconds));
  MPI_Abort(MPI_COMM_WORLD, static_cast<int>(Exit::kComm));
  std::_Exit(static_cast<int>(Exit::kComm));
}

void MpiTransport::finalize() {
  MPI_Waitall(static_cast<int>(outgoing_requests_.size()), outgoing_requests_.data(), MPI_STATUSES_IGNORE);
  MPI_Cancel(&incoming_request_);
  MPI_Wait(&incoming_request_, MPI_STATUS_IGNORE);
  for (MPI_Comm& channel : channels_) MPI_Comm_free(&channel);
  MPI_Comm_free(&control_);
  MPI_Finalize();
}

}  // namespace

std::unique_ptr<Transport> make_mpi_transport(size_t max_message_bytes) {
  return std::make_unique<MpiTransport>(max_message_bytes);
}

std::unique_ptr<Communicator> make_mpi_communicator(const CommOptions& options) {
  const size_t max_message_bytes = options.max_message_bytes;
  return make_engine_communicator([max_message_bytes] { return make_mpi_transport(max_message_bytes); }, options);
}

}  // namespace sz
