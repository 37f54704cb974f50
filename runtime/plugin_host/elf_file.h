// A shared object looked at as a file, before anything of it is mapped for execution: dlopen() reads
// past the end of a truncated file and takes the process with it (SIGBUS).
//
// Formats: System V ABI, AMD64 supplement; elf(5).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <elf.h>

namespace sz {

class ElfFile {
 public:
  // Reads and checks headers. Errors: Error(kPlugin) "PATH: what is wrong; what to do".
  explicit ElfFile(const std::string& path);

  // Descriptor bytes of every note of this owner and type.
  std::vector<std::string> notes(std::string_view owner, uint32_t type) const;

 private:
  void check_identity() const;
  void check_segments() const;
  void check_sections() const;
  void check_dynamic() const;
  [[noreturn]] void truncated(const std::string& what, uint64_t end) const;
  std::string read(uint64_t offset, uint64_t size, const std::string& what) const;
  bool mapped(uint64_t address) const;

  std::string path_;
  int fd_ = -1;
  uint64_t size_ = 0;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Shdr> sections_;
};

}  // namespace sz
