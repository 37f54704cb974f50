// The process's log: one line a message, to stderr and, once opened, to the rank's log file.
// spdlog stays behind this header, since its fmt and LibTorch's must not meet in one file.
// Thread: any.
#pragma once
#include <string>

namespace sz::log {

enum class Level { kDebug, kInfo, kWarn, kError, kOff };  // kOff: for set_stderr_level and open alone

// From here on messages are kept until open() has a file for them: what a rank says before its run has a folder.
void hold();
// Sends messages to PATH (appended; its folder is made) as well as stderr; RANK goes into the file's lines.
// Only messages of at least stderr_level reach stderr; the file gets them all. An empty PATH: stderr alone.
// A second call takes the place of the first. Throws Error(kUsage, kExhausted) when PATH can't be opened.
void open(const std::string& path, int rank, Level stderr_level);
void set_stderr_level(Level level);  // kInfo before
void set_rank(int rank);             // lines of ranks other than 0 begin with "[rank N]"; 0 before
void write(Level level, const std::string& message);
void flush();

// A line that stays below all messages while it is set, on a terminal only (see base/progress.h); empty ends it.
void set_status(const std::string& line);

inline void debug(const std::string& m) { write(Level::kDebug, m); }
inline void info(const std::string& m) { write(Level::kInfo, m); }
inline void warn(const std::string& m) { write(Level::kWarn, m); }
inline void error(const std::string& m) { write(Level::kError, m); }

}  // namespace sz::log
