// The small boards: services by name, events, metrics, scalars; the default sampler.
#include "train/services.h"

#include <gtest/gtest.h>

#include <set>

#include "train/run_services.h"
#include "train/shuffle_sampler.h"
#include "unit/base/temporary_folder.h"

namespace sz::test {
namespace {

TEST(ServiceRegistry, OneProviderAName) {
  ServiceRegistry registry;
  registry.add("sz.loss/1", "a", "first", std::make_shared<int>(1));
  registry.add("sz.loss/1", "b", "second", std::make_shared<int>(2));
  EXPECT_EQ(*registry.find<int>("sz.loss/1", "b"), 2);
  EXPECT_EQ(registry.find<int>("sz.loss/1", "c"), nullptr);
  const Thrown taken = thrown_by([&] { registry.add("sz.loss/1", "a", "third", std::make_shared<int>(3)); });
  EXPECT_EQ(taken.exit, Exit::kPlugin);
  EXPECT_NE(taken.message.find("both first and third"), std::string::npos) << taken.message;
  const Thrown unknown = thrown_by([&] { registry.get<int>("sz.loss/1", "c", "train.loss"); });
  EXPECT_EQ(unknown.exit, Exit::kUsage);
  EXPECT_EQ(unknown.message, "train.loss: nobody offers 'c' for sz.loss/1; offered: a, b");
}

TEST(EventQueue, DeliversInOrderWithWhatIsRaisedOnTheWay) {
  EventQueue events;
  std::vector<std::string> seen;
  events.subscribe("a", [&](const Event& event) {
    seen.push_back("a from " + event.source);
    events.publish({"b", "listener", {}});
  });
  events.subscribe("b", [&](const Event& event) { seen.push_back("b from " + event.source); });
  events.publish({"a", "one", {}});
  events.publish({"b", "two", {}});
  EXPECT_TRUE(seen.empty());
  events.deliver();
  EXPECT_EQ(seen, (std::vector<std::string>{"a from one", "b from two", "b from listener"}));
  events.deliver();
  EXPECT_EQ(seen.size(), 3u);
}

TEST(MetricBoard, TakesOnceAndKeepsTheLast) {
  MetricBoard metrics;
  metrics.publish("b", 1);
  metrics.publish("a", 2);
  metrics.publish("b", 3);
  EXPECT_EQ(metrics.take(), (std::vector<std::pair<std::string, double>>{{"b", 3}, {"a", 2}}));
  EXPECT_TRUE(metrics.take().empty());
  double value = 0;
  EXPECT_TRUE(metrics.read("b", value));
  EXPECT_EQ(value, 3);
  EXPECT_FALSE(metrics.read("c", value));
}

TEST(ShuffleSampler, EveryEpochHasEverySampleOnce) {
  const auto sampler = make_shuffle_sampler();
  sampler->setup({10, 4, 3});
  std::string state = sampler->initial_state();
  std::vector<std::vector<int64_t>> orders(2);
  uint64_t position = 0;
  for (int plan = 0; plan < 6; ++plan) {
    const auto [items, after] = sampler->plan(state);
    EXPECT_EQ(items.size(), plan % 3 == 2 ? 2u : 4u);
    for (const PlanItem& item : items) {
      orders[size_t(plan / 3)].push_back(item.sample);
      EXPECT_EQ(item.position, position++);
    }
    EXPECT_EQ(sampler->plan(state).second, after);  // pure
    state = after;
  }
  for (const auto& order : orders) EXPECT_EQ(std::set<int64_t>(order.begin(), order.end()).size(), 10u);
  EXPECT_NE(orders[0], orders[1]);
  const auto other = make_shuffle_sampler();
  other->setup({10, 4, 4});
  EXPECT_NE(other->plan("0").first[0].sample * 100 + other->plan("0").first[1].sample,
            orders[0][0] * 100 + orders[0][1]);
}

}  // namespace
}  // namespace sz::test
