#include "base/text.h"

#include <gtest/gtest.h>

#include "base/format.h"

namespace sz {
namespace {

TEST(Text, Utf8FaultsByOffset) {
  EXPECT_EQ(first_utf8_fault(""), std::nullopt);
  EXPECT_EQ(first_utf8_fault("plain, grün, 中文, 😀"), std::nullopt);
  EXPECT_EQ(first_utf8_fault("a\xff"), 1u);
  EXPECT_EQ(first_utf8_fault("ab\x80"), 2u);              // a continuation byte alone
  EXPECT_EQ(first_utf8_fault("\xe4\xb8"), 0u);            // cut short
  EXPECT_EQ(first_utf8_fault("中\xe4\xb8z"), 3u);
  EXPECT_EQ(first_utf8_fault("\xc0\x80"), 0u);            // overlong
  EXPECT_EQ(first_utf8_fault("\xe0\x80\x80"), 0u);
  EXPECT_EQ(first_utf8_fault("\xf0\x80\x80\x80"), 0u);
  EXPECT_EQ(first_utf8_fault("\xed\xa0\x80"), 0u);        // a surrogate
  EXPECT_EQ(first_utf8_fault("\xf4\x90\x80\x80"), 0u);    // above U+10FFFF
  EXPECT_EQ(first_utf8_fault("\xf4\x8f\xbf\xbf"), std::nullopt);
}

TEST(Text, CodePointsGoRoundForEveryScalarValue) {
  for (char32_t cp = 0; cp <= 0x10FFFF; ++cp) {
    if (cp >= 0xD800 && cp <= 0xDFFF) continue;
    std::string bytes;
    append_utf8(bytes, cp);
    size_t offset = 0;
    ASSERT_EQ(next_code_point(bytes, offset), cp);
    ASSERT_EQ(offset, bytes.size());
  }
  EXPECT_EQ(decode_utf8("a中\xff😀"), std::u32string(U"a中\uFFFD😀"));
  EXPECT_EQ(encode_utf8(U"é中😀"), "é中😀");
  EXPECT_EQ(encode_utf8(std::u32string(1, char32_t(0xD800))), "\uFFFD");
}

TEST(Text, Scripts) {
  EXPECT_TRUE(is_cjk(U'中') && is_cjk(U'㐀') && is_cjk(U'𠀀'));
  EXPECT_FALSE(is_cjk(U'。') || is_cjk(U'あ') || is_cjk(U'한') || is_cjk(U'a'));
  EXPECT_TRUE(is_latin_letter(U'a') && is_latin_letter(U'ß') && is_latin_letter(U'ộ') && is_latin_letter(U'Ａ'));
  EXPECT_FALSE(is_latin_letter(U'1') || is_latin_letter(U'×') || is_latin_letter(U'я') || is_latin_letter(U'中'));
  EXPECT_TRUE(is_other_letter(U'я') && is_other_letter(U'한') && is_other_letter(U'ア'));
  EXPECT_FALSE(is_other_letter(U'…') || is_other_letter(U'😀') || is_other_letter(U'，') || is_other_letter(U'é'));
}

TEST(Text, Languages) {
  EXPECT_EQ(detect_language("The quick brown fox."), "en");
  EXPECT_EQ(detect_language("Der schnelle braune Fuchs, größer."), "en");
  EXPECT_EQ(detect_language("床前明月光，疑是地上霜。"), "zh");
  EXPECT_EQ(detect_language("使用 Debian 的 apt-get 命令来安装软件包"), "zh");
  EXPECT_EQ(detect_language("The word 中文 means the Chinese language."), "en");
  EXPECT_EQ(detect_language("これは日本語の文章です。"), "other");
  EXPECT_EQ(detect_language("Съешь же ещё этих мягких булок"), "other");
  EXPECT_EQ(detect_language("한국어 문장입니다"), "other");
  EXPECT_EQ(detect_language("12:30, 100%! …"), "other");
  EXPECT_EQ(detect_language(""), "other");
}

TEST(Text, EditDistance) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("bacth", "batch"), 1u);
  EXPECT_EQ(edit_distance("ca", "abc"), 3u);  // restricted: no edit within a swapped pair
}

TEST(Text, JoinedListsHaveSeparatorsBetween) {
  EXPECT_EQ(joined({}), "");
  EXPECT_EQ(joined({"a"}), "a");
  EXPECT_EQ(joined({"", "b", ""}, "\n"), "\nb\n");
  EXPECT_EQ(joined({"a", "b"}), "a, b");
}

TEST(Text, DidYouMean) {
  const std::vector<std::string> names{"steps", "epochs", "context"};
  EXPECT_EQ(did_you_mean("step", names), "steps");
  EXPECT_EQ(did_you_mean("contxet", names), "context");
  EXPECT_EQ(did_you_mean("steps", names), "steps");
  EXPECT_EQ(did_you_mean("warmup", names), std::nullopt);
  EXPECT_EQ(did_you_mean("ab", {"cd"}), std::nullopt);
  EXPECT_EQ(did_you_mean("x", {}), std::nullopt);
}

TEST(Format, IsAsLongAsItMustBe) {
  EXPECT_EQ(format("%d of %s, %.2f", 3, "four", 0.5), "3 of four, 0.50");
  EXPECT_EQ(format("%s", std::string(1000, 'x').c_str()), std::string(1000, 'x'));
  EXPECT_EQ(format("100 %%"), "100 %");
}

}  // namespace
}  // namespace sz
