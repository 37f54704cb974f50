// The exit codes that every binary of the project shares. Kept apart from runtime/'s own list on purpose: the numbers
// are the contract between szlaunch and szworker, not a header.
#pragma once

namespace sz::launch {

constexpr int kDone = 0;
constexpr int kInternal = 1;
constexpr int kUsage = 2;
constexpr int kPlugin = 3;
constexpr int kData = 4;
constexpr int kDiverged = 5;
constexpr int kCorrupt = 6;
constexpr int kPeerLost = 7;
constexpr int kExhausted = 8;
constexpr int kInterrupted = 130;  // SIGINT; what there was to save is saved
constexpr int kTerminated = 143;   // SIGTERM or SIGHUP; likewise

// A code in two or three words, as in "exit code 4: data".
const char* meaning(int code);

}  // namespace sz::launch
