// The process's log: one line a message, to stderr and, once opened, to the rank's log file.
// spdlog stays behind this header, since its fmt and LibTorch's must not meet in one file.
// Thread: any.
#pragma once
#include <string>

namespace sz::log {

enum class Level { kDebug, kInfo, kWarn, kError };

// Sends messages to PATH (appended) as well as stderr; RANK goes into the file's lines.
// Only messages of at least stderr_level reach stderr. Throws Error(kUsage) when PATH can't be opened.
void open(const std::string& path, int rank, Level stderr_level);
void set_stderr_level(Level level);
void write(Level level, const std::string& message);
void flush();

inline void debug(const std::string& m) { write(Level::kDebug, m); }
inline void info(const std::string& m) { write(Level::kInfo, m); }
inline void warn(const std::string& m) { write(Level::kWarn, m); }
inline void error(const std::string& m) { write(Level::kError, m); }

}  // namespace sz::log
