#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "data/batches.h"

namespace sz {
namespace {

struct Job {
  std::shared_ptr<const Plan> plan;
  int64_t micro_batch = 0;
};

// A loaded micro-batch, or why it couldn't be loaded.
struct Loaded {
  MicroBatch batch;
  std::exception_ptr error;
};

}  // namespace

struct BatchLoader::Impl {
  std::shared_ptr<const Source> source;
  BatchLoaderOptions options;

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Job> queue;      // not yet begun
  std::deque<Loaded> ready;   // not yet taken
  bool loading = false;       // one is between the two
  uint64_t generation = 0;    // raised by drop(): what was begun before is thrown away
  bool stopping = false;
  std::thread thread;         // last, so that it starts when all else is there

  void run();
  Loaded load(const Job& job) const;
  bool may_load() const {
    const bool room = ready.size() < static_cast<size_t>(options.prefetch);
    const bool failed = !ready.empty() && ready.back().error;
    return !queue.empty() && room && !failed;
  }
};

Loaded BatchLoader::Impl::load(const Job& job) const {
  Loaded loaded;
  try {
    const PlanSlice slice = slice_of(static_cast<int64_t>(job.plan->size()), options.slicing, job.micro_batch);
    loaded.batch = make_micro_batch(*source, options.split, *job.plan, slice, options.transform);
  } catch (...) {
    loaded.error = std::current_exception();
  }
  return loaded;
}

void BatchLoader::Impl::run() {
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait(lock, [&] { return stopping || may_load(); });
    if (stopping) {
      return;
    }
    const Job job = std::move(queue.front());
    queue.pop_front();
    loading = true;
    const uint64_t begun = generation;
    lock.unlock();
    Loaded loaded = load(job);
    lock.lock();
    if (begun == generation) {
      ready.push_back(std::move(loaded));
      loading = false;
      changed.notify_all();
    }
  }
}

BatchLoader::BatchLoader(std::shared_ptr<const Source> source, BatchLoaderOptions options)
    : impl_(std::make_unique<Impl>()) {
  SZ_ASSERT(source && options.prefetch > 0);
  impl_->source = std::move(source);
  impl_->options = std::move(options);
  impl_->thread = std::thread([impl = impl_.get()] { impl->run(); });
}

BatchLoader::~BatchLoader() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->stopping = true;
  }
  impl_->changed.notify_all();
  impl_->thread.join();
}

void BatchLoader::push(Plan plan) {
  const auto shared = std::make_shared<const Plan>(std::move(plan));
  const int64_t count = micro_batch_count(static_cast<int64_t>(shared->size()), impl_->options.slicing);
  {
    const std::lock_guard lock(impl_->mutex);
    for (int64_t i = 0; i < count; ++i) {
      impl_->queue.push_back({shared, i});
    }
  }
  impl_->changed.notify_all();
}

MicroBatch BatchLoader::next() {
  std::unique_lock lock(impl_->mutex);
  SZ_ASSERT(!impl_->queue.empty() || !impl_->ready.empty() || impl_->loading);
  impl_->changed.wait(lock, [&] { return !impl_->ready.empty(); });
  Loaded loaded = std::move(impl_->ready.front());
  impl_->ready.pop_front();
  lock.unlock();
  impl_->changed.notify_all();
  if (loaded.error) {
    drop();
    std::rethrow_exception(loaded.error);
  }
  return std::move(loaded.batch);
}

void BatchLoader::drop() {
  const std::lock_guard lock(impl_->mutex);
  impl_->queue.clear();
  impl_->ready.clear();
  impl_->loading = false;
  ++impl_->generation;
}

int64_t BatchLoader::pending() const {
  const std::lock_guard lock(impl_->mutex);
  return static_cast<int64_t>(impl_->queue.size() + impl_->ready.size() + (impl_->loading ? 1 : 0));
}

}  // namespace sz
