#include "plugin_host/rank_check.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"

namespace sz {
namespace {

// Lines "key NUL value NUL"; neither holds a NUL.
std::string packed(const Fingerprint& fingerprint) {
  std::string bytes;
  for (const auto& [key, value] : fingerprint) {
    bytes += key;
    bytes += '\0';
    bytes += value;
    bytes += '\0';
  }
  return bytes;
}

std::map<std::string, std::string> unpacked(const std::string& bytes) {
  std::map<std::string, std::string> lines;
  for (size_t at = 0; at < bytes.size();) {
    const std::string key = bytes.c_str() + at;
    at += key.size() + 1;
    const std::string value = at < bytes.size() ? bytes.c_str() + at : "";
    at += value.size() + 1;
    lines[key] = value;
  }
  return lines;
}

std::vector<std::string> gather(Communicator& comm, const std::string& mine) {
  const size_t ranks = size_t(comm.size());
  const uint64_t size = mine.size();
  std::vector<uint64_t> sizes(ranks);
  comm.all_gather(Channel::kScalar, &size, sizes.data(), sizeof(size))->wait();
  const uint64_t longest = *std::max_element(sizes.begin(), sizes.end());
  std::string padded = mine, all(longest * ranks, '\0');
  padded.resize(longest);
  if (longest > 0) comm.all_gather(Channel::kScalar, padded.data(), all.data(), longest)->wait();
  std::vector<std::string> texts;
  for (size_t r = 0; r < ranks; ++r) texts.push_back(all.substr(r * longest, sizes[r]));
  return texts;
}

std::string differences(const std::vector<std::string>& texts) {
  const auto first = unpacked(texts[0]);
  const auto value_of = [](const std::map<std::string, std::string>& lines, const std::string& key) {
    const auto it = lines.find(key);
    return it == lines.end() ? std::string("(absent)") : "'" + it->second + "'";
  };
  std::string report;
  for (size_t r = 1; r < texts.size(); ++r) {
    const auto lines = unpacked(texts[r]);
    std::set<std::string> keys;
    for (const auto& [key, value] : first) keys.insert(key);
    for (const auto& [key, value] : lines) keys.insert(key);
    for (const std::string& key : keys) {
      const std::string here = value_of(lines, key), there = value_of(first, key);
      if (here != there) {
        report += "\n  rank " + std::to_string(r) + ": " + key + " is " + here + ", on rank 0 " + there;
      }
    }
  }
  return report.empty() ? "\n  (the hashes differ, the listed keys don't)" : report;
}

}  // namespace

void compare_across_ranks(Communicator& comm, uint64_t hash, const Fingerprint& fingerprint,
                          const Mismatch& mismatch) {
  std::vector<uint64_t> hashes(size_t(comm.size()));
  comm.all_gather(Channel::kScalar, &hash, hashes.data(), sizeof(hash))->wait();
  const auto differs = [&](uint64_t other) { return other != hashes[0]; };
  if (std::none_of(hashes.begin(), hashes.end(), differs)) return;
  const std::vector<std::string> texts = gather(comm, packed(fingerprint));
  throw Error(mismatch.exit, mismatch.what + differences(texts));
}

}  // namespace sz
