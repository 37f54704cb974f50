// Verbs that szlaunch has not itself: `szlaunch NAME ...` runs szlaunch-NAME, as git does.
#pragma once
#include <string>
#include <vector>

#include "process.h"

namespace sz::launch {

// Runs szlaunch-NAME from szlaunch's own folder or PATH; where there is none says so, with the nearest of `verbs`.
int run_external(const std::string& name, const Arguments& arguments, const std::vector<std::string>& verbs);

// The word of `words` that differs least from `word`; empty if none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& words);

}  // namespace sz::launch
