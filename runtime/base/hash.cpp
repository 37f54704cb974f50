#include "base/hash.h"

#include <xxhash.h>

#include <cstdio>
#include <new>

#include "base/files.h"

namespace sz {
namespace {

std::string hex_of(uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

std::string hex_of(XXH128_hash_t value) { return hex_of(value.high64) + hex_of(value.low64); }

}  // namespace

struct Xxh3::Impl {
  // The library wants its states at 64-byte boundaries and allocates them so itself.
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  using State = std::unique_ptr<XXH3_state_t, Free>;
  State narrow{XXH3_createState()}, wide{XXH3_createState()};
};

Xxh3::Xxh3() : impl_(std::make_unique<Impl>()) {
  if (!impl_->narrow || !impl_->wide) throw std::bad_alloc();
  XXH3_64bits_reset(impl_->narrow.get());
  XXH3_128bits_reset(impl_->wide.get());
}

Xxh3::~Xxh3() = default;
Xxh3::Xxh3(Xxh3&&) noexcept = default;
Xxh3& Xxh3::operator=(Xxh3&&) noexcept = default;

void Xxh3::update(const void* bytes, size_t size) {
  XXH3_64bits_update(impl_->narrow.get(), bytes, size);
  XXH3_128bits_update(impl_->wide.get(), bytes, size);
}

uint64_t Xxh3::digest_64() const { return XXH3_64bits_digest(impl_->narrow.get()); }
std::string Xxh3::hex_64() const { return hex_of(digest_64()); }
std::string Xxh3::hex_128() const { return hex_of(XXH3_128bits_digest(impl_->wide.get())); }

uint64_t xxh3_64(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }
std::string xxh3_64_hex(std::string_view bytes) { return hex_of(xxh3_64(bytes)); }
std::string xxh3_128_hex(std::string_view bytes) { return hex_of(XXH3_128bits(bytes.data(), bytes.size())); }

std::string xxh3_64_hex_of_file(const std::string& path) {
  Xxh3 hash;
  for_each_piece(path, [&](std::string_view piece) { hash.update(piece); });
  return hash.hex_64();
}

std::string xxh3_128_hex_of_file(const std::string& path) {
  Xxh3 hash;
  for_each_piece(path, [&](std::string_view piece) { hash.update(piece); });
  return hash.hex_128();
}

}  // namespace sz
