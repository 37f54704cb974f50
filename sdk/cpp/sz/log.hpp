// sz.log/1: a line of the process's log.
#pragma once
#include <string>

#include <sz/host.hpp>
#include <sz/host/log.h>

namespace sz::inline sdk {

class Log : Interface<sz_log> {
 public:
  explicit Log(Host host) : Interface(host, SZ_LOG) {}

  void debug(const std::string& message) const { write(SZ_LOG_DEBUG, message); }
  void info(const std::string& message) const { write(SZ_LOG_INFO, message); }
  void warn(const std::string& message) const { write(SZ_LOG_WARN, message); }
  void error(const std::string& message) const { write(SZ_LOG_ERROR, message); }

 private:
  void write(sz_log_level level, const std::string& message) const { table().write(raw(), level, message.c_str()); }
};

}  // namespace sz::inline sdk
