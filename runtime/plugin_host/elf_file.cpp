#include "plugin_host/elf_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "base/error.h"

namespace sz {
namespace {

constexpr uint64_t kMaxNotes = 1 << 20;  // bytes of one note segment; real ones have a few hundred

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw Error(Exit::kPlugin, path + ": " + what);
}

// The file stays open only while it is looked at.
struct OpenFile {
  int fd;
  ~OpenFile() {
    if (fd >= 0) ::close(fd);
  }
};

template <class T>
std::vector<T> as_table(const std::string& bytes) {
  std::vector<T> table(bytes.size() / sizeof(T));
  if (!table.empty()) std::memcpy(table.data(), bytes.data(), table.size() * sizeof(T));
  return table;
}

uint64_t padded(uint64_t n, uint64_t alignment) { return (n + alignment - 1) / alignment * alignment; }

}  // namespace

ElfFile::ElfFile(const std::string& path) : path_(path) {
  const OpenFile file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0) fail(path, std::string("can't be read: ") + std::strerror(errno) + "; check its permissions");
  fd_ = file.fd;
  const off_t end = ::lseek(fd_, 0, SEEK_END);
  if (end < 0) fail(path, std::string("can't be read: ") + std::strerror(errno));
  size_ = uint64_t(end);

  const std::string header = read(0, sizeof(header_), "ELF header");
  std::memcpy(&header_, header.data(), sizeof(header_));
  check_identity();
  segments_ = as_table<Elf64_Phdr>(
      read(header_.e_phoff, uint64_t(header_.e_phnum) * sizeof(Elf64_Phdr), "program header table"));
  check_segments();
  sections_ = as_table<Elf64_Shdr>(
      read(header_.e_shoff, uint64_t(header_.e_shnum) * sizeof(Elf64_Shdr), "section header table"));
  check_sections();
  check_dynamic();
  fd_ = -1;
}

void ElfFile::truncated(const std::string& what, uint64_t end) const {
  fail(path_, "truncated: its " + what + " ends at byte " + std::to_string(end) + ", the file at " +
                  std::to_string(size_) + "; build or copy it again");
}

std::string ElfFile::read(uint64_t offset, uint64_t size, const std::string& what) const {
  if (size > size_ || offset > size_ - size) truncated(what, offset + size);
  std::string bytes(size, '\0');
  uint64_t done = 0;
  while (done < size) {
    const ssize_t n = ::pread(fd_, bytes.data() + done, size - done, off_t(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail(path_, "reading its " + what + " failed; check the disk");
    done += uint64_t(n);
  }
  return bytes;
}

void ElfFile::check_identity() const {
  if (std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0) {
    fail(path_, "not an ELF file; a plugin is a shared object (.so) made with sz_add_plugin()");
  }
  if (header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_ident[EI_DATA] != ELFDATA2LSB ||
      header_.e_machine != EM_X86_64) {
    fail(path_, "built for another machine; rebuild it for x86-64");
  }
  if (header_.e_type != ET_DYN) fail(path_, "not a shared object; link it with -shared (sz_add_plugin() does)");
  if (header_.e_phnum == 0 || header_.e_phentsize != sizeof(Elf64_Phdr)) {
    fail(path_, "damaged: its program header table makes no sense; build or copy it again");
  }
  if (header_.e_shnum != 0 && header_.e_shentsize != sizeof(Elf64_Shdr)) {
    fail(path_, "damaged: its section header table makes no sense; build or copy it again");
  }
}

void ElfFile::check_segments() const {
  bool load = false, dynamic = false;
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_filesz > size_ || segment.p_offset > size_ - segment.p_filesz) {
      truncated("segment " + std::to_string(&segment - segments_.data()), segment.p_offset + segment.p_filesz);
    }
    load |= segment.p_type == PT_LOAD;
    dynamic |= segment.p_type == PT_DYNAMIC;
    if (segment.p_type == PT_LOAD && segment.p_filesz > segment.p_memsz) {
      fail(path_, "damaged: a segment is larger in the file than in memory; build or copy it again");
    }
    if (segment.p_type == PT_INTERP) fail(path_, "a program, not a plugin; link it with -shared");
  }
  if (!load || !dynamic) fail(path_, "damaged: it has nothing to load; build or copy it again");
}

void ElfFile::check_sections() const {
  for (const Elf64_Shdr& section : sections_) {
    if (section.sh_type == SHT_NOBITS || section.sh_type == SHT_NULL) continue;
    if (section.sh_size > size_ || section.sh_offset > size_ - section.sh_size) {
      truncated("section " + std::to_string(&section - sections_.data()), section.sh_offset + section.sh_size);
    }
  }
}

bool ElfFile::mapped(uint64_t address) const {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz) {
      return true;
    }
  }
  return false;
}

// The loader follows these addresses before it checks anything.
void ElfFile::check_dynamic() const {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_DYNAMIC) continue;
    bool ended = false;
    int tables = 0;
    for (const Elf64_Dyn& entry : as_table<Elf64_Dyn>(read(segment.p_offset, segment.p_filesz, "dynamic section"))) {
      if (entry.d_tag == DT_NULL) {
        ended = true;
        break;
      }
      if (entry.d_tag != DT_STRTAB && entry.d_tag != DT_SYMTAB) continue;
      if (!mapped(entry.d_un.d_ptr)) fail(path_, "damaged: a symbol table lies outside it; build or copy it again");
      ++tables;
    }
    if (!ended || tables != 2) fail(path_, "damaged: its dynamic section is incomplete; build or copy it again");
  }
}

std::vector<std::string> ElfFile::notes(std::string_view owner, uint32_t type) const {
  std::vector<std::string> found;
  const OpenFile file{::open(path_.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0) fail(path_, std::string("can't be read: ") + std::strerror(errno));
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_NOTE || segment.p_filesz > kMaxNotes) continue;
    std::string bytes(segment.p_filesz, '\0');
    if (::pread(file.fd, bytes.data(), bytes.size(), off_t(segment.p_offset)) != ssize_t(bytes.size())) continue;
    const uint64_t alignment = segment.p_align == 8 ? 8 : 4;
    for (uint64_t at = 0; at + sizeof(Elf64_Nhdr) <= bytes.size();) {
      Elf64_Nhdr note;
      std::memcpy(&note, bytes.data() + at, sizeof(note));
      const uint64_t name = at + sizeof(note), description = padded(name + note.n_namesz, alignment);
      if (description + note.n_descsz > bytes.size()) break;
      const std::string_view name_text(bytes.data() + name, note.n_namesz);
      const bool same_owner = name_text.size() == owner.size() + 1 && name_text.substr(0, owner.size()) == owner;
      if (same_owner && note.n_type == type) found.push_back(bytes.substr(description, note.n_descsz));
      at = padded(description + note.n_descsz, alignment);
    }
  }
  return found;
}

}  // namespace sz
