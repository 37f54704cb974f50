// What a ruling is told as: votes' reasons and decisions, in English and Chinese.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <sz/decisions.hpp>
#include <sz/loss_scale.hpp>

namespace amp_o2 {

struct Text {
  std::string en, zh;
};

// Where the first non-finite gradient element is; empty names where there is none.
struct Place {
  std::string parameter, segment;
};

std::string number(double value);  // "4096", "0.42": as short as it reads well

// Why the attempt isn't applied; empty where it is.
Text reason(const sz::amp::Ruling& ruling, const sz::amp::ScaleFacts& facts, const sz::amp::ScaleOptions& options,
            const Place& place);

// Of what the ruling changes and warns of, in the order in which it happens.
std::vector<sz::Decision> decisions(const sz::amp::Ruling& ruling, const sz::amp::ScaleFacts& facts,
                                    const sz::amp::ScaleOptions& options, const Text& reason);

}  // namespace amp_o2
