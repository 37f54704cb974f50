// Checksums: XXH3 for integrity (fast, not against an adversary), SHA-256 for pins of files that are run.
// Thread: any; one object is used by one thread at a time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace sz {

uint64_t xxh3_64(std::string_view bytes);
std::string xxh3_64_hex(std::string_view bytes);   // 16 lower-case digits, most significant first
std::string xxh3_128_hex(std::string_view bytes);  // 32 digits
// Of a whole file, read in pieces. Errors as read_file's (base/files.h).
std::string xxh3_64_hex_of_file(const std::string& path);
std::string xxh3_128_hex_of_file(const std::string& path);

// Both widths over bytes that come in pieces; a result may be taken at any time and more bytes added after.
class Xxh3 {
 public:
  Xxh3();
  ~Xxh3();
  Xxh3(Xxh3&&) noexcept;
  Xxh3& operator=(Xxh3&&) noexcept;
  void update(const void* bytes, size_t size);
  void update(std::string_view bytes) { update(bytes.data(), bytes.size()); }
  uint64_t digest_64() const;
  std::string hex_64() const;
  std::string hex_128() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// FIPS 180-4.
class Sha256 {
 public:
  Sha256();
  void update(std::string_view bytes);
  std::string hex() const;  // 64 lower-case digits

 private:
  void block(const unsigned char* bytes);
  uint32_t state_[8];
  unsigned char pending_[64];
  size_t pending_size_ = 0;
  uint64_t total_ = 0;
};

std::string sha256_hex(std::string_view bytes);
std::string sha256_hex_of_file(const std::string& path);

}  // namespace sz
