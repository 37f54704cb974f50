// What `szlaunch doctor` finds of the machine itself: cores, memory, limits, ports, the kernel's offers.
#pragma once
#include <string>

namespace sz::launch {

struct Finding {
  enum class State { kGood, kNote, kBad };  // a note: training can do without it
  State state = State::kGood;
  std::string text;  // what was found, and what to do where it isn't good
};

Finding good(const std::string& text);
Finding note(const std::string& text);
Finding bad(const std::string& text);

Finding look_at_memory();
Finding look_at_shared_memory();
Finding look_at_locked_memory();  // RLIMIT_MEMLOCK
Finding look_at_open_files();     // RLIMIT_NOFILE
Finding look_at_ports();          // ranks on several machines talk over TCP
Finding look_at_io_uring();
Finding look_at_folder();

}  // namespace sz::launch
