#include "gathers.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace zero3 {
namespace {

// Multiply and fold, eight bytes at a time; buffers are multiples of 64 bytes.
uint64_t hash_of(const void* data, int64_t bytes) {
  uint64_t hash = 0x9E3779B97F4A7C15ull;
  for (int64_t i = 0; i + 8 <= bytes; i += 8) {
    uint64_t word;
    std::memcpy(&word, static_cast<const char*>(data) + i, 8);
    hash = (hash ^ word) * 0xff51afd7ed558ccdull;
    hash ^= hash >> 32;
  }
  return hash;
}

std::string segment_at(const std::vector<int64_t>& pass, size_t place, const std::vector<std::string>& names) {
  if (place >= pass.size()) return "nothing more";
  return names[size_t(pass[place])];
}

}  // namespace

void Gathers::fetch(Unit& unit) {
  if (!unit.away()) return;
  at::DataPtr bytes = allocate(unit.whole_bytes());
  void* const out = bytes.get();
  unit.coming.emplace(Unit::Gather{std::move(bytes), comm_.all_gather(SZ_CHANNEL_GATHER, unit.compute_shard(), out,
                                                                      uint64_t(unit.shard_bytes()))});
}

void Gathers::arrive(Unit& unit) {
  if (unit.here()) return;
  waits.wait(unit.coming->work);
  unit.arrived(std::move(unit.coming->bytes));
  unit.coming.reset();
  if (options_.verify) check_bytes(unit);
}

void Gathers::drop(Unit& unit) {
  if (unit.keeps().parameters || unit.away()) return;
  if (unit.coming) waits.wait(unit.coming->work);
  unit.coming.reset();
  unit.let_go();
}

void Gathers::refresh(Unit& unit) {
  if (!unit.keeps().parameters || comm_.size() == 1) return;
  refreshing_.push_back({&unit, comm_.all_gather(SZ_CHANNEL_GATHER, unit.compute_shard(), unit.whole_data(),
                                                 uint64_t(unit.shard_bytes()))});
}

void Gathers::finish_refresh() {
  for (Refresh& refresh : refreshing_) waits.wait(refresh.work);
  if (options_.verify) {
    for (const Refresh& refresh : refreshing_) check_bytes(*refresh.unit);
  }
  refreshing_.clear();
}

std::vector<uint64_t> Gathers::from_all(uint64_t value) {
  std::vector<uint64_t> values(size_t(comm_.size()));
  sz::Work work = comm_.all_gather(SZ_CHANNEL_GATHER, &value, values.data(), sizeof value);
  waits.wait(work);
  return values;
}

void Gathers::check_bytes(const Unit& unit) {
  const std::vector<uint64_t> hashes = from_all(hash_of(unit.whole_data(), unit.whole_bytes()));
  for (size_t r = 1; r < hashes.size(); ++r) {
    if (hashes[r] == hashes[0]) continue;
    throw sz::Error(SZ_COMM_LOST, "zero3_async_io: rank " + std::to_string(r) + " gathered other bytes of " +
                                      unit.plan().name +
                                      " than rank 0: memory or network is faulty; resume from the last checkpoint");
  }
}

void Gathers::announce_change(uint64_t hash) {
  if (comm_.size() == 1) return;
  auto own = std::make_unique<uint64_t>(hash);
  std::vector<uint64_t> all(size_t(comm_.size()));
  sz::Work work = comm_.all_gather(SZ_CHANNEL_GATHER, own.get(), all.data(), sizeof hash);
  announced_.push_back({std::move(own), std::move(all), std::move(work)});
}

void Gathers::compare_orders(const std::vector<int>& pass, uint64_t hash, const std::vector<std::string>& names) {
  if (comm_.size() == 1) return;
  const auto compare = [&](const std::vector<uint64_t>& hashes) {
    const auto differs = [&](uint64_t h) { return h != hashes[0]; };
    const auto other = std::find_if(hashes.begin(), hashes.end(), differs);
    if (other != hashes.end()) tell_orders_apart(size_t(other - hashes.begin()), pass, names);
  };
  for (; !announced_.empty(); announced_.pop_front()) {
    waits.wait(announced_.front().work);
    compare(announced_.front().all);
  }
  compare(from_all(hash));
}

// All ranks come here together: they have seen the same hashes.
void Gathers::tell_orders_apart(size_t other, const std::vector<int>& pass, const std::vector<std::string>& names) {
  const std::vector<uint64_t> lengths = from_all(pass.size());
  const uint64_t longest = *std::max_element(lengths.begin(), lengths.end());
  std::vector<int64_t> mine(pass.begin(), pass.end()), all(longest * lengths.size());
  mine.resize(longest);
  comm_.all_gather(SZ_CHANNEL_GATHER, mine.data(), all.data(), longest * sizeof(int64_t)).wait();
  const auto pass_of = [&](size_t r) {
    const auto begin = all.begin() + int64_t(r * longest);
    return std::vector<int64_t>(begin, begin + int64_t(lengths[r]));
  };
  const std::vector<int64_t> first = pass_of(0), second = pass_of(other);
  size_t place = 0;
  while (place < first.size() && place < second.size() && first[place] == second[place]) ++place;
  throw sz::Error(SZ_COMM_LOST, "zero3_async_io: ranks 0 and " + std::to_string(other) +
                                    " ran through the segments in different orders: as number " +
                                    std::to_string(place) + " of the step, rank 0 ran " +
                                    segment_at(first, place, names) + " and rank " + std::to_string(other) + " ran " +
                                    segment_at(second, place, names) +
                                    "; all ranks must run the same segments, with weight 0 where they have no data");
}

bool Gathers::all_agree(bool yes) {
  const std::vector<uint64_t> said = from_all(yes ? 1 : 0);
  return std::all_of(said.begin(), said.end(), [](uint64_t s) { return s == 1; });
}

}  // namespace zero3
