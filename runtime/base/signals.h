// Signals as requests that the loop reads between steps.
//   SIGTERM, SIGINT, SIGHUP   stop: save, then end with 143 (SIGHUP too) or 130; a second one ends the process at once
//                             with the first one's code. Those within half a second of the first are the same request:
//                             `timeout`, shells and batch systems send several. Ignored SIGHUP (nohup) stays ignored.
//   SIGUSR1                   save now and go on
// Thread: any; the handlers only set flags.
#pragma once

namespace sz {

// Whether a second request to stop ends the process, or is left to a launcher, which may pass on what it got itself.
enum class SecondStop { kEnds, kIgnored };

void install_signal_handlers(SecondStop second = SecondStop::kEnds);
int stop_signal();          // 0, SIGTERM (SIGHUP too) or SIGINT: the first one that came
bool take_save_request();   // true once for each request (requests that came together count as one)
void clear_signals();       // forgets all of it; for tests and for a process that starts another run

}  // namespace sz
