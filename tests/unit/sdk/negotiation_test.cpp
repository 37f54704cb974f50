// What an entry accepts and what it refuses.
#include <gtest/gtest.h>

#include "fake_host.h"

namespace sz_test {
namespace {

const sz_plugin* enter(const sz_offer* offer, std::string* why = nullptr) {
  sz_error* error = nullptr;
  const sz_plugin* plugin = sz_plugin_entry_v1(offer, &error);
  const std::string message = said(error);
  if (why) *why = message;
  return plugin;
}

TEST(Negotiation, AcceptsTheHostItWasBuiltFor) {
  const sz_plugin* plugin = enter(&the_offer);
  ASSERT_NE(plugin, nullptr);
  EXPECT_EQ(plugin->abi, SZ_ABI_VERSION);
  EXPECT_STREQ(plugin->descriptor->id, "gradient_zscore");
}

TEST(Negotiation, AcceptsALaterHostWithALongerOffer) {
  struct Later {
    sz_offer offer;
    uint64_t unknown[4];
  } later = {make_offer(), {1, 2, 3, 4}};
  later.offer.struct_size = sizeof(later);
  later.offer.abi_max = SZ_ABI_VERSION + 5;
  EXPECT_NE(enter(&later.offer), nullptr);
}

TEST(Negotiation, RefusesWhatIsNoOffer) {
  EXPECT_EQ(enter(nullptr), nullptr);
  sz_offer offer = make_offer();
  offer.magic ^= 1;
  EXPECT_EQ(enter(&offer), nullptr);
  offer = make_offer();
  offer.struct_size = offsetof(sz_offer, error_message);  // too short to make errors with
  EXPECT_EQ(enter(&offer), nullptr);
}

TEST(Negotiation, RefusesOtherVersionsAndSaysWhatToDo) {
  std::string why;
  sz_offer offer = make_offer();
  offer.abi_min = offer.abi_max = SZ_ABI_VERSION + 1;
  EXPECT_EQ(enter(&offer, &why), nullptr);
  EXPECT_NE(why.find("rebuild"), std::string::npos) << why;
  offer = make_offer();
  offer.draft = SZ_DRAFT + 1;
  EXPECT_EQ(enter(&offer, &why), nullptr);
  EXPECT_NE(why.find("draft"), std::string::npos) << why;
  EXPECT_EQ(live_errors, 0);
}

TEST(Negotiation, MagicReadsAsText) {
  const uint64_t magic = SZ_OFFER_MAGIC;
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(&magic), 8), std::string("\0SZOFER1", 8));
}

TEST(Negotiation, FieldsBeyondAStructsEndAreNotThere) {
  sz_plugin shorter = {};
  shorter.struct_size = offsetof(sz_plugin, provide);
  EXPECT_TRUE(SZ_HAS(&shorter, sz_plugin, get_extension));
  EXPECT_FALSE(SZ_HAS(&shorter, sz_plugin, provide));
}

}  // namespace
}  // namespace sz_test
