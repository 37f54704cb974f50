// Votes at VERDICT.
#pragma once
#include <optional>
#include <string>

#include <sz/error.hpp>
#include <sz/facts.h>

namespace sz::inline sdk {

struct Vote {
  sz_verdict verdict = SZ_APPLY;
  std::string reason = {};     // English
  std::optional<double> clip = {};
  bool keep_data_position = false;
  std::string reason_zh = {};  // Chinese; empty: the English one stands for it
};

namespace detail {

struct KeptReasons {
  std::string en, zh;
};

// `kept` holds the reasons until the next call.
inline void fill(sz_vote& out, Vote vote, KeptReasons& kept) {
  kept = {std::move(vote.reason), std::move(vote.reason_zh)};
  out.verdict = vote.verdict;
  out.reason = kept.en.empty() ? nullptr : kept.en.c_str();
  out.reason_zh = kept.zh.empty() ? nullptr : kept.zh.c_str();
  out.has_clip = vote.clip.has_value();
  out.clip = vote.clip.value_or(0);
  out.keep_data_position = vote.keep_data_position;
}

}  // namespace detail

// For a plugin whose descriptor says votes().
class Voter {
 public:
  static constexpr const char* kId = SZ_VOTER;
  virtual ~Voter() = default;
  virtual Vote judge(const sz_step_facts& facts) = 0;

  template <class P>
  static const void* table() {
    static constexpr sz_voter kTable = {
        sizeof(sz_voter), 0, [](void* self, const sz_step_facts* facts, sz_vote* vote) {
          return detail::guard([&] {
            Voter& voter = detail::as<Voter, P>(self);
            detail::fill(*vote, voter.judge(*facts), voter.reason_);
          });
        }};
    return &kTable;
  }

 private:
  detail::KeptReasons reason_;
};

}  // namespace sz::inline sdk
