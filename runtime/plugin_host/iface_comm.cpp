// sz.comm/1
#include <sz/host/comm.h>

#include <algorithm>

#include "plugin_host/arguments.h"
#include "plugin_host/dtype_map.h"
#include "plugin_host/instance.h"
#include "plugin_host/interfaces.h"

struct sz_work {
  sz::WorkPtr work;
};

namespace sz {
namespace {

int32_t rank(const sz_host* host) { return instance_of(host).run().context.comm->rank(); }
int32_t size(const sz_host* host) { return instance_of(host).run().context.comm->size(); }

Channel to_channel(sz_channel channel) {
  if (channel == SZ_CHANNEL_GATHER) return Channel::kGather;
  if (channel == SZ_CHANNEL_REDUCE) return Channel::kReduce;
  throw Error(Exit::kPlugin, "argument 'channel' is the unknown " + std::to_string(channel));
}

// Checks the caller and hands the communicator to `start`, which gives the started operation.
template <class Start>
sz_error* enqueue(const sz_host* host, const char* function, sz_work** work, Start start) {
  return guarded([&] {
    PluginInstance& plugin = instance_of(host);
    plugin.require_main(function);
    plugin.require_phase(function, kRun);
    require_pointer(work, "work");
    const std::vector<Slot>& slots = plugin.plan().slots;
    if (std::find(slots.begin(), slots.end(), Slot::kResidency) == slots.end()) {
      throw Error(Exit::kPlugin, std::string(function) + " is for the owner of the slot residency alone; use the step "
                                                         "scalars of sz.run/1");
    }
    *work = new sz_work{start(*plugin.run().context.comm)};
  });
}

sz_error* all_reduce(const sz_host* host, sz_channel channel, void* data, uint64_t count, sz_dtype dtype,
                     sz_work** work) {
  return enqueue(host, "sz.comm all_reduce", work, [&](Communicator& comm) {
    return comm.all_reduce(to_channel(channel), data, count, to_dtype(dtype));
  });
}

sz_error* reduce_scatter(const sz_host* host, sz_channel channel, const void* in, void* out, uint64_t count,
                         sz_dtype dtype, sz_work** work) {
  return enqueue(host, "sz.comm reduce_scatter", work, [&](Communicator& comm) {
    return comm.reduce_scatter(to_channel(channel), in, out, count, to_dtype(dtype));
  });
}

sz_error* all_gather(const sz_host* host, sz_channel channel, const void* in, void* out, uint64_t bytes,
                     sz_work** work) {
  return enqueue(host, "sz.comm all_gather", work,
                 [&](Communicator& comm) { return comm.all_gather(to_channel(channel), in, out, bytes); });
}

sz_error* broadcast(const sz_host* host, sz_channel channel, void* data, uint64_t bytes, int32_t root,
                    sz_work** work) {
  return enqueue(host, "sz.comm broadcast", work, [&](Communicator& comm) {
    if (root < 0 || root >= comm.size()) throw Error(Exit::kPlugin, "there is no rank " + std::to_string(root));
    return comm.broadcast(to_channel(channel), data, bytes, root);
  });
}

sz_error* wait(const sz_host* host, sz_work* work, sz_work_times* times) {
  return guarded([&] {
    require_pointer(work, "work");
    const std::unique_ptr<sz_work> owned(work);
    owned->work->wait();
    const WorkTimes t = owned->work->times();
    if (times) *times = {t.posted, t.started, t.finished};
  });
}

sz_bool done(const sz_host* host, sz_work* work) { return work && work->work->done() ? 1 : 0; }

}  // namespace

const void* comm_interface() {
  static const sz_comm table = {sizeof(sz_comm), 0,           &rank,      &size, &all_reduce,
                                &reduce_scatter, &all_gather, &broadcast, &wait, &done};
  return &table;
}

}  // namespace sz
