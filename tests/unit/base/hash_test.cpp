#include "base/hash.h"

#include <gtest/gtest.h>

#include "unit/base/temporary_folder.h"

namespace sz {
namespace {

// Vectors of FIPS 180-4's examples (csrc.nist.gov) and of the empty text.
TEST(Hash, Sha256Vectors) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// The known values of no bytes with seed 0: a change of variant or seed would make old checksums useless.
TEST(Hash, Xxh3OfNothing) {
  EXPECT_EQ(xxh3_64_hex(""), "2d06800538d394c2");
  EXPECT_EQ(xxh3_128_hex(""), "99aa06d3014798d86001c324468d497f");
}

TEST(Hash, PiecesAndFilesAgreeWithTheWhole) {
  const test::TemporaryFolder folder;
  std::string text;
  for (int64_t i = 0; i < 300000; ++i) text += std::to_string(i * 7919);  // more than one piece of 1 MiB
  Xxh3 pieces;
  Sha256 sha;
  for (size_t at = 0, size = 1; at < text.size(); at += size, size = size * 3 % 1009 + 1) {
    pieces.update(std::string_view(text).substr(at, size));
    sha.update(std::string_view(text).substr(at, size));
  }
  EXPECT_EQ(pieces.digest_64(), xxh3_64(text));
  EXPECT_EQ(pieces.hex_64(), xxh3_64_hex(text));
  EXPECT_EQ(pieces.hex_128(), xxh3_128_hex(text));
  EXPECT_EQ(sha.hex(), sha256_hex(text));
  test::spit(folder / "f", text);
  EXPECT_EQ(xxh3_64_hex_of_file(folder / "f"), xxh3_64_hex(text));
  EXPECT_EQ(xxh3_128_hex_of_file(folder / "f"), xxh3_128_hex(text));
  EXPECT_EQ(sha256_hex_of_file(folder / "f"), sha256_hex(text));
  EXPECT_EQ(test::thrown_by([&] { sha256_hex_of_file(folder / "none"); }).exit, Exit::kUsage);
}

}  // namespace
}  // namespace sz
