#include "policy.h"

#include <cctype>
#include <stdexcept>

namespace recompute {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void mark_list(const PolicyOptions& options, const std::vector<std::string>& names, std::vector<Keep>& keep) {
  for (const std::string& pattern : options.patterns) {
    bool found = false;
    for (size_t i = 0; i + 1 < names.size(); ++i) {
      if (!matches(pattern, names[i])) continue;
      keep[i] = Keep::kInputs;
      found = true;
    }
    if (!found) {
      throw std::invalid_argument("segments: \"" + pattern + "\" fits no segment that can be recomputed; there are " +
                                  joined({names.begin(), names.empty() ? names.end() : names.end() - 1}));
    }
  }
}

void mark_blocks(const PolicyOptions& options, const std::vector<std::string>& names, std::vector<Keep>& keep) {
  const std::vector<Block> blocks = blocks_of(names);
  if (blocks.empty()) {
    throw std::invalid_argument("policy = \"" + options.policy + "\" goes by blocks, segments named alike up to the "
                                "last dot, and the model has none: " + joined(names) + "; use \"list\" or \"all\"");
  }
  for (size_t b = 0; b < blocks.size(); ++b) {
    const bool whole = options.policy == "every_n";
    if (whole && int64_t(b) % options.every != 0) continue;
    for (int i = blocks[b].first + (whole ? 0 : 1); i <= blocks[b].last; ++i) keep[size_t(i)] = Keep::kInputs;
  }
}

}  // namespace

const char* name_of(Keep keep) {
  switch (keep) {
    case Keep::kAll: return "kept";
    case Keep::kCostly: return "cheap";
    case Keep::kInputs: return "recomputed";
  }
  return "?";
}

std::vector<Block> blocks_of(const std::vector<std::string>& names) {
  const auto stem = [&](size_t i) {
    const size_t dot = names[i].rfind('.');
    return dot == std::string::npos ? std::string() : names[i].substr(0, dot);
  };
  std::vector<Block> blocks;
  for (size_t i = 0; i < names.size();) {
    size_t end = i + 1;
    while (end < names.size() && !stem(i).empty() && stem(end) == stem(i)) ++end;
    if (end - i > 1) blocks.push_back({int(i), int(end) - 1});
    i = end;
  }
  return blocks;
}

bool matches(const std::string& pattern, const std::string& name) {
  size_t p = 0, n = 0, star = std::string::npos, retry = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string::npos) {
      p = star + 1;
      n = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::vector<Keep> choose(const PolicyOptions& options, const std::vector<std::string>& names) {
  std::vector<Keep> keep(names.size(), Keep::kAll);
  if (options.policy == "list") {
    mark_list(options, names, keep);
  } else if (options.policy == "after_first_dropout" || options.policy == "every_n") {
    mark_blocks(options, names, keep);
  } else if (options.policy == "cheap") {
    keep.assign(names.size(), Keep::kCostly);
  } else if (options.policy == "all" || options.policy == "budget") {
    keep.assign(names.size(), Keep::kInputs);
  }
  if (!keep.empty()) keep.back() = Keep::kAll;  // the loss's gradients are formed in forward
  return keep;
}

std::string kind_of(const std::string& name) {
  std::string kind;
  for (const char c : name) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!digit) kind += c;
    if (digit && (kind.empty() || kind.back() != '#')) kind += '#';
  }
  return kind;
}

}  // namespace recompute
