// Scores what a journal doesn't have yet, on several threads.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "app/score_file.h"

namespace sz {

struct ScorePass {
  int64_t samples = 0;
  int threads = 1;
  int64_t chunk = 32;  // samples that a thread takes at once
  // Fills values and routes (already of `count` elements). Called by several threads at once.
  std::function<void(int64_t first, int64_t count, std::vector<double>& values, std::vector<uint32_t>& routes)> score;
  std::function<void(int64_t done)> progress;  // called by the caller's thread
};

// Errors: what `score` throws first, after all threads have ended; a stop signal, as throw_if_pass_is_stopped. All that
// was scored by then is in the journal.
void run_score_pass(const ScorePass& pass, ScoreJournal& journal);

// Error(kInterrupted) or Error(kTerminated) once a stop signal has come.
void throw_if_pass_is_stopped();

}  // namespace sz
