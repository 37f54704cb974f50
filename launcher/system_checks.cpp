#include "system_checks.h"

#include <linux/io_uring.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "process.h"

namespace sz::launch {

namespace {

constexpr double kMiB = 1 << 20;

std::string size_text(double bytes) {
  char text[32];
  const bool large = bytes >= 1024 * kMiB;
  std::snprintf(text, sizeof text, large ? "%.1f GiB" : "%.1f MiB", bytes / (large ? 1024 * kMiB : kMiB));
  return text;
}

// The soft limit, raised to the hard one where the process may: 0 where it can't be read, -1 for none.
double limit_of(int resource) {
  struct rlimit limit {};
  if (getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0) return 0;
  return limit.rlim_cur == RLIM_INFINITY ? -1 : static_cast<double>(limit.rlim_cur);
}

}  // namespace

Finding good(const std::string& text) { return {Finding::State::kGood, text}; }
Finding note(const std::string& text) { return {Finding::State::kNote, text}; }
Finding bad(const std::string& text) { return {Finding::State::kBad, text}; }

Finding look_at_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("MemAvailable:", 0) != 0) continue;
    std::istringstream number(line.substr(13));
    double kib = 0;
    number >> kib;
    const std::string text = size_text(kib * 1024) + " available";
    return kib > 1024 * 1024 ? good(text) : bad(text + "; even a small run wants 1 GiB: end other programs");
  }
  return bad("/proc/meminfo cannot be read; mount /proc");
}

Finding look_at_shared_memory() {
  struct statvfs information {};
  if (statvfs("/dev/shm", &information) != 0) {
    return bad("no /dev/shm, through which ranks of one machine talk; mount -t tmpfs tmpfs /dev/shm");
  }
  const double free = static_cast<double>(information.f_bavail) * static_cast<double>(information.f_frsize);
  const std::string text = size_text(free) + " free in /dev/shm";
  return free > 32 * kMiB ? good(text) : bad(text + "; ranks need 32 MiB of it (docker: --shm-size=1g)");
}

Finding look_at_locked_memory() {
  const double limit = limit_of(RLIMIT_MEMLOCK);
  if (limit < 0) return good("memlock unlimited");
  const std::string text = "memlock " + size_text(limit);
  if (limit >= 64 * kMiB) return good(text);
  return note(text + "; pinned buffers for disk offload want more: ulimit -l unlimited, or memlock in "
                     "/etc/security/limits.conf (docker: --ulimit memlock=-1)");
}

Finding look_at_open_files() {
  const double limit = limit_of(RLIMIT_NOFILE);
  if (limit < 0) return good("nofile unlimited");
  const std::string text = "nofile " + std::to_string(static_cast<long>(limit));
  if (limit >= 1024) return good(text);
  return bad(text + "; data shards and swap files need 1024: ulimit -n 4096, or nofile in /etc/security/limits.conf");
}

Finding look_at_ports() {
  const Fd listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (!listener || bind(listener.get(), generic, size) != 0 || listen(listener.get(), 1) != 0 ||
      getsockname(listener.get(), generic, &size) != 0) {
    return bad(std::string("no TCP port can be opened: ") + std::strerror(errno) + "; mpirun needs some");
  }
  const Fd caller(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!caller || connect(caller.get(), generic, size) != 0) {
    return bad(std::string("TCP on the loopback does not work: ") + std::strerror(errno) +
               "; ip link set lo up, and let a firewall pass 127.0.0.1");
  }
  std::ifstream file("/proc/sys/net/ipv4/ip_local_port_range");
  int first = 0, last = 0;
  file >> first >> last;
  if (last == 0) return good("TCP ports can be opened and reached");
  return good("TCP ports can be opened and reached; between machines a firewall must pass " + std::to_string(first) +
              " to " + std::to_string(last));
}

Finding look_at_io_uring() {
  io_uring_params parameters{};
  const Fd ring(static_cast<int>(syscall(SYS_io_uring_setup, 8, &parameters)));
  if (ring) return good("works");
  const int reason = errno;
  const std::string text = std::string("not to be had (") + std::strerror(reason) + "): disk offload takes threads instead; ";
  if (reason == ENOSYS) return note(text + "a kernel of 5.6 or newer brings it");
  return note(text + "sysctl kernel.io_uring_disabled=0, or a container profile that allows it");
}

Finding look_at_folder() {
  if (access(".", W_OK) != 0) return bad("cannot write here; set run.out to another folder");
  struct statvfs information {};
  if (statvfs(".", &information) != 0) return good("run folders can be written here");
  const double free = static_cast<double>(information.f_bavail) * static_cast<double>(information.f_frsize);
  const std::string text = "run folders can be written here, " + size_text(free) + " free";
  return free > 256 * kMiB ? good(text) : bad(text + "; make room, or set run.out and data.cache to another disk");
}

}  // namespace sz::launch
