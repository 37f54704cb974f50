#include "comm/engine_communicator.h"

#include <exception>

#include "base/error.h"
#include "comm/collectives.h"

namespace sz {
namespace {

class EngineCommunicator final : public Communicator {
 public:
  EngineCommunicator(Engine::TransportFactory factory, const CommOptions& options)
      : exceptions_(std::uncaught_exceptions()), engine_(std::move(factory), options) {}

  // Without the abort the other ranks would wait for operations that this one never starts.
  ~EngineCommunicator() override {
    if (std::uncaught_exceptions() > exceptions_) abort("it was ended by an exception");
  }

  int rank() const override { return engine_.rank(); }
  int size() const override { return engine_.size(); }

  WorkPtr all_reduce(Channel channel, void* data, size_t count, DType dtype) override {
    return engine_.post(channel, make_all_reduce(data, count, dtype));
  }

  WorkPtr reduce_scatter(Channel channel, const void* in, void* out, size_t count, DType dtype) override {
    return engine_.post(channel, make_reduce_scatter(in, out, count, dtype));
  }

  WorkPtr all_gather(Channel channel, const void* in, void* out, size_t bytes) override {
    return engine_.post(channel, make_all_gather(in, out, bytes));
  }

  WorkPtr broadcast(Channel channel, void* data, size_t bytes, int root) override {
    SZ_ASSERT(root >= 0 && root < size());
    return engine_.post(channel, make_broadcast(data, bytes, root));
  }

  WorkPtr barrier(Channel channel) override { return engine_.post(channel, make_barrier()); }

  void abort(const std::string& reason) override { engine_.abort({rank(), reason}); }
  std::optional<AbortInfo> aborted() const override { return engine_.aborted(); }

 private:
  int exceptions_;  // that were under way when this was made
  Engine engine_;
};

}  // namespace

std::unique_ptr<Communicator> make_engine_communicator(Engine::TransportFactory factory, const CommOptions& options) {
  return std::make_unique<EngineCommunicator>(std::move(factory), options);
}

}  // namespace sz
