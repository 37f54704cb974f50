#include "plugin_host/plugin_file.h"

#include <sys/stat.h>
#include <sz/plugin.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"
#include "plugin_host/elf_file.h"

namespace sz {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw Error(Exit::kPlugin, path + ": " + what);
}

void check_permissions(const std::string& path) {
  struct stat file;
  if (::stat(path.c_str(), &file) != 0) fail(path, std::string(std::strerror(errno)) + "; is the path right?");
  if (!S_ISREG(file.st_mode)) fail(path, "not a regular file; a plugin is a .so file");
  if (::access(path.c_str(), R_OK) != 0) fail(path, std::string("can't be read: ") + std::strerror(errno));
  if (file.st_mode & S_IWOTH) fail(path, "everybody may write this file, and it would run as you; chmod o-w it");
  if (file.st_mode & S_IWGRP) log::warn(path + ": its group may write this plugin's file (chmod g-w to be safe)");
}

void check_pin(const std::string& path, std::string pin) {
  if (pin.empty()) return;
  std::transform(pin.begin(), pin.end(), pin.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  const std::string is = sha256_hex_of_file(path);
  if (is != pin) {
    fail(path, "SHA-256 is " + is + ", the configuration pins " + pin +
                   "; get the right file, or change the plugin's sha256 key if this one is meant");
  }
}

PluginNote read_note(const ElfFile& file, const std::string& path) {
  const std::vector<std::string> notes = file.notes(SZ_NOTE_NAME, SZ_NOTE_TYPE);
  if (notes.empty()) fail(path, "not a plugin: it lacks the note that SZ_PLUGIN_NOTE makes; add it and rebuild");
  if (notes.size() > 1) fail(path, "two plugins' notes in one file; SZ_PLUGIN_NOTE belongs in one source file");
  const size_t size = sizeof(sz_note) - offsetof(sz_note, abi_min);
  if (notes[0].size() != size) fail(path, "its plugin note has an unknown size; rebuild it with this host's SDK");
  uint32_t words[4];
  static_assert(sizeof(words) == sizeof(sz_note) - offsetof(sz_note, abi_min));
  std::memcpy(words, notes[0].data(), sizeof(words));
  return {words[0], words[1], words[2]};
}

}  // namespace

PluginNote check_plugin_file(const std::string& path, const std::string& sha256) {
  check_permissions(path);
  const ElfFile file(path);
  const PluginNote note = read_note(file, path);
  check_pin(path, sha256);
  return note;
}

void check_versions(const PluginNote& note, const std::string& path) {
  if (note.abi_min > SZ_ABI_VERSION || note.abi_max < SZ_ABI_VERSION) {
    fail(path, "speaks ABI versions " + std::to_string(note.abi_min) + " to " + std::to_string(note.abi_max) +
                   ", this host version " + std::to_string(SZ_ABI_VERSION) +
                   "; rebuild it with the SDK that came with this host");
  }
  if (note.draft != SZ_DRAFT) {
    fail(path, "built against draft " + std::to_string(note.draft) + " of the interfaces, this host has draft " +
                   std::to_string(SZ_DRAFT) +
                   ", and drafts must match; rebuild it with the SDK that came with this host");
  }
}

}  // namespace sz
