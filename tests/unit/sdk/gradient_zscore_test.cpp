// The template plugin, whose C source is linked in.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fake_host.h"
#include "sz/hooks.h"

namespace sz_test {
namespace {

class GradientZScore : public ::testing::Test {
 protected:
  GradientZScore() {
    fake.config = {{"window", int64_t(4)}, {"threshold", 3.0}};
    sz_error* error = nullptr;
    plugin = sz_plugin_entry_v1(&the_offer, &error);
  }
  void feed(Life& life, double norm) {
    sz_step_facts facts = {};
    facts.struct_size = sizeof(facts);
    facts.grad_norm = norm;
    sz_hook_info info = {};
    info.struct_size = sizeof(info);
    info.hook = SZ_VERDICT;
    info.facts = &facts;
    EXPECT_EQ(said(life.extension<sz_observer>(SZ_OBSERVER).on(life.self, &info)), "");
  }
  FakeHost fake;
  const sz_plugin* plugin = nullptr;
};

TEST_F(GradientZScore, SaysNothingUntilTheWindowIsFull) {
  Life life(plugin, fake);
  ASSERT_EQ(said(plugin->start(life.self)), "");
  for (double norm : {1.0, 2.0, 3.0, 4.0}) feed(life, norm);
  EXPECT_TRUE(fake.metrics.empty());
  EXPECT_TRUE(fake.decisions.empty());
}

TEST_F(GradientZScore, ScoresAgainstTheLastNormsAlone) {
  Life life(plugin, fake);
  ASSERT_EQ(said(plugin->start(life.self)), "");
  for (double norm : {100.0, 1.0, 2.0, 3.0, 4.0, 3.5}) feed(life, norm);
  ASSERT_EQ(fake.metrics.size(), 2u);
  EXPECT_EQ(fake.metrics[1].first, "z");
  // The last is compared with 1, 2, 3, 4: mean 2.5, sample deviation sqrt(5 / 3).
  EXPECT_NEAR(fake.metrics[1].second, (3.5 - 2.5) / std::sqrt(5.0 / 3.0), 1e-12);
  EXPECT_TRUE(fake.decisions.empty());
}

TEST_F(GradientZScore, DecidesOnAJump) {
  Life life(plugin, fake);
  ASSERT_EQ(said(plugin->start(life.self)), "");
  for (double norm : {1.0, 2.0, 3.0, 4.0, 12.5}) feed(life, norm);
  ASSERT_EQ(fake.decisions.size(), 1u);
  EXPECT_EQ(fake.decisions[0], "gradient_norm: gradient norm jumped 2.500000 -> 12.500000 z=7.745967");
}

TEST_F(GradientZScore, PassesOverNormsThatAreNotFinite) {
  Life life(plugin, fake);
  ASSERT_EQ(said(plugin->start(life.self)), "");
  for (double norm : {1.0, 2.0, 3.0, 4.0}) feed(life, norm);
  feed(life, std::numeric_limits<double>::quiet_NaN());
  feed(life, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(fake.metrics.empty());
  feed(life, 2.5);
  ASSERT_EQ(fake.metrics.size(), 1u);
  EXPECT_DOUBLE_EQ(fake.metrics[0].second, 0);
}

TEST_F(GradientZScore, EqualNormsHaveNoScore) {
  Life life(plugin, fake);
  ASSERT_EQ(said(plugin->start(life.self)), "");
  for (int i = 0; i < 8; ++i) feed(life, 2.0);
  EXPECT_TRUE(fake.metrics.empty());
}

TEST_F(GradientZScore, PassesTheHostsErrorsOn) {
  fake.config.erase("threshold");
  Life life(plugin, fake);
  EXPECT_EQ(taken(plugin->start(life.self)), std::pair(sz_code(SZ_USAGE), std::string("threshold")));
  EXPECT_EQ(live_errors, 0);
}

TEST_F(GradientZScore, DescribesItself) {
  const sz_descriptor& d = *plugin->descriptor;
  EXPECT_EQ(d.draft, SZ_DRAFT);
  ASSERT_NE(d.hooks[0], nullptr);
  EXPECT_EQ(d.hooks[0]->hook, uint32_t(SZ_VERDICT));
  EXPECT_EQ(d.hooks[1], nullptr);
  EXPECT_STREQ(d.keys[0]->name, "window");
  EXPECT_STREQ(d.keys[1]->name, "threshold");
  EXPECT_EQ(d.keys[2], nullptr);
  EXPECT_EQ(plugin->get_extension(nullptr, "sz.unheard_of/1"), nullptr);
}

}  // namespace
}  // namespace sz_test
