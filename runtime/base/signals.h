// Signals as requests that the loop reads between steps.
//   SIGTERM, SIGINT   stop: save, then end with 143 or 130; a second SIGINT ends the process at once with 130
//   SIGUSR1           save now and go on
// A launcher that forwards signals must not send SIGINT to a process that the terminal has sent it to already.
// Thread: any; the handlers only set flags.
#pragma once

namespace sz {

void install_signal_handlers();
int stop_signal();          // 0, SIGTERM or SIGINT: the first one that came
bool take_save_request();   // true once for each request (requests that came together count as one)
void clear_signals();       // forgets all of it; for tests and for a process that starts another run

}  // namespace sz
