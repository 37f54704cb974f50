// The C++ wrapper: classes and exceptions on one side, tables and errors on the other.
#include <gtest/gtest.h>

#include <new>
#include <optional>
#include <string>

#include "fake_host.h"
#include "sz/around.hpp"
#include "sz/config.hpp"
#include "sz/decisions.hpp"
#include "sz/events.hpp"
#include "sz/metrics.hpp"
#include "sz/plugin.hpp"
#include "sz/run.hpp"
#include "sz/sampler.hpp"
#include "sz/scorer.hpp"
#include "sz/state.hpp"
#include "sz/votes.hpp"

namespace sz_test {
namespace {

class LengthScorer : public sz::Scorer {
 public:
  void fit(const NextText& next) override {
    for (sz_text_item item = {}; next(item);) fitted += item.text.len;
  }
  void score(std::span<const sz_text_item> items, std::span<double> scores, std::span<uint32_t> routes) override {
    for (size_t i = 0; i < items.size(); ++i) scores[i] = double(items[i].text.len);
    for (auto& route : routes) route = 0;
  }
  uint64_t fitted = 0;
};

// Implements a bit of everything; `fault` says what to throw.
class Sample : public sz::Plugin,
               public sz::Observer,
               public sz::Around,
               public sz::Voter,
               public sz::Stateful,
               public sz::Sampler {
 public:
  static sz::Descriptor describe() {
    return sz::Descriptor("sample", "1.2.3")
        .licence("MIT")
        .summary("a sample", "示例")
        .hook({SZ_VERDICT, SZ_STEP_END},
              {.before = {"b"}, .after = {"a", "c"}, .when = {{"level", SZ_IN, {"O1", "O2"}}}})
        .slot("sampler", {{"level", SZ_NOT_EQUAL, {"O0"}}})
        .need(SZ_NEED_SERVICE, SZ_SCORER)
        .give(SZ_SCORER, "length")
        .state(SZ_STATE_CHECKPOINT_AND_ROLLBACK, 2)
        .votes()
        .key({.name = "level", .type = SZ_KEY_STRING, .default_toml = "\"O1\"", .choices = {"O0", "O1", "O2"}})
        .key({.name = "count", .default_toml = "3", .help = "how many", .unit = "steps", .min = 1, .max = 9});
  }
  explicit Sample(sz::Host host) : Plugin(host) {}

  void start() override {
    const sz::Config config(host());
    level = config.get_string("level");
    count = config.get_int("count");
    events.emplace(host());
    events->subscribe("alarm", [this](const sz_event& event) {
      alarm = sz::number_in(event.fields, event.field_count, "sigma").value_or(-1);
    });
  }
  void on(const sz_hook_info& info) override {
    if (fault == "sz") throw sz::Error(SZ_DIVERGED, "diverged");
    if (fault == "std") throw std::runtime_error("plain");
    if (fault == "memory") throw std::bad_alloc();
    if (fault == "int") throw 42;
    sz::Metrics(host()).publish("steps", double(info.step));
  }
  void optimizer_step(const sz_hook_info&, const sz::Next& next) override {
    next();
    ++wrapped;
  }
  sz::Vote judge(const sz_step_facts& facts) override {
    if (facts.non_finite == 0) return {};
    return {.verdict = SZ_SKIP, .reason = "not finite: " + std::to_string(facts.non_finite), .clip = 0.5};
  }
  std::string save_state() const override { return std::string("a\0b", 3); }
  void load_state(std::string_view bytes, uint32_t version) override {
    loaded = std::string(bytes) + std::to_string(version);
  }
  void setup(const sz_sampler_setup& setup) override { global_batch = setup.global_batch; }
  std::string initial_state() override { return "0"; }
  Planned plan(std::string_view state) override {
    const int64_t at = std::stoll(std::string(state));
    Planned planned;
    for (int64_t i = 0; i < global_batch + excess; ++i) planned.items.push_back({at + i, 0, 0, 0, 0});
    planned.next_state = std::to_string(at + global_batch);
    return planned;
  }
  sz::Provided provide(std::string_view service, std::string_view name) override {
    static constexpr const char* kRoutes[] = {"any", nullptr};
    return service == SZ_SCORER && name == "length" ? scorer.provided(7, kRoutes) : sz::Provided{};
  }

  std::string level, fault, loaded;
  int64_t count = 0, global_batch = 0, excess = 0;
  int wrapped = 0;
  double alarm = 0;
  LengthScorer scorer;
  std::optional<sz::Events> events;
};

using Registered = sz::detail::Registration<Sample, sz::Observer, sz::Around, sz::Voter, sz::Stateful, sz::Sampler>;

class Wrapper : public ::testing::Test {
 protected:
  Wrapper() : life(enter(), fake), sample(*static_cast<Sample*>(life.self)) {
    fake.config = {{"level", std::string("O2")}, {"count", int64_t(5)}};
    EXPECT_EQ(said(life.plugin->start(life.self)), "");
  }
  ~Wrapper() override { EXPECT_EQ(live_errors, 0); }
  static const sz_plugin* enter() {
    sz_error* error = nullptr;
    const sz_plugin* plugin = Registered::enter(&the_offer, &error);
    EXPECT_EQ(said(error), "");
    return plugin;
  }
  std::pair<sz_code, std::string> observe() {
    sz_hook_info info = {};
    info.struct_size = sizeof(info);
    info.step = 12;
    return taken(life.extension<sz_observer>(SZ_OBSERVER).on(life.self, &info));
  }

  FakeHost fake;
  Life life;
  Sample& sample;
};

sz_error* append(void* context, const void* data, uint64_t size) {
  static_cast<std::string*>(context)->append(static_cast<const char*>(data), size);
  return nullptr;
}

TEST_F(Wrapper, ReadsItsConfiguration) {
  EXPECT_EQ(sample.level, "O2");
  EXPECT_EQ(sample.count, 5);
  EXPECT_THROW(sz::Config(sample.host()).get_float("count"), sz::Error);
}

TEST_F(Wrapper, ObserverCallsArrive) {
  EXPECT_EQ(observe().first, SZ_OK);
  EXPECT_EQ(fake.metrics, (std::vector<std::pair<std::string, double>>{{"steps", 12}}));
}

TEST_F(Wrapper, ExceptionsBecomeErrors) {
  const std::pair<sz_code, std::string> cases[] = {
      {SZ_DIVERGED, "sz"}, {SZ_PLUGIN_FAILED, "std"}, {SZ_EXHAUSTED, "memory"}, {SZ_PLUGIN_FAILED, "int"}};
  for (const auto& [code, fault] : cases) {
    sample.fault = fault;
    const auto [got, message] = observe();
    EXPECT_EQ(got, code) << fault;
    EXPECT_FALSE(message.empty()) << fault;
  }
  sample.fault = "std";
  EXPECT_EQ(observe().second, "plain");
}

TEST_F(Wrapper, NextIsCalledAndItsErrorPassesThrough) {
  const auto& around = life.extension<sz_around>(SZ_AROUND);
  const sz_hook_info info = {};
  int calls = 0;
  const auto works = [](void* context) -> sz_error* {
    ++*static_cast<int*>(context);
    return nullptr;
  };
  EXPECT_EQ(said(around.optimizer_step(life.self, &info, works, &calls)), "");
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(sample.wrapped, 1);
  const auto fails = [](void*) { return the_offer.make_error(SZ_COMM_LOST, "rank 1 is gone"); };
  EXPECT_EQ(taken(around.optimizer_step(life.self, &info, fails, nullptr)),
            std::pair(sz_code(SZ_COMM_LOST), std::string("rank 1 is gone")));
  EXPECT_EQ(sample.wrapped, 1);
  EXPECT_EQ(said(around.segment_forward(life.self, nullptr, works, &calls)), "");  // the default passes through
  EXPECT_EQ(calls, 2);
}

TEST_F(Wrapper, Votes) {
  const auto& voter = life.extension<sz_voter>(SZ_VOTER);
  sz_step_facts facts = {};
  sz_vote vote = {};
  vote.struct_size = sizeof(vote);
  EXPECT_EQ(said(voter.judge(life.self, &facts, &vote)), "");
  EXPECT_EQ(vote.verdict, sz_verdict(SZ_APPLY));
  EXPECT_EQ(vote.reason, nullptr);
  EXPECT_EQ(vote.has_clip, 0u);
  facts.non_finite = 3;
  EXPECT_EQ(said(voter.judge(life.self, &facts, &vote)), "");
  EXPECT_EQ(vote.verdict, sz_verdict(SZ_SKIP));
  EXPECT_STREQ(vote.reason, "not finite: 3");
  EXPECT_EQ(vote.has_clip, 1u);
  EXPECT_EQ(vote.clip, 0.5);
}

TEST_F(Wrapper, StateMakesARoundTrip) {
  const auto& state = life.extension<sz_stateful>(SZ_STATE);
  std::string bytes;
  const sz_sink sink = {&bytes, append};
  EXPECT_EQ(said(state.save(life.self, &sink)), "");
  EXPECT_EQ(bytes, std::string("a\0b", 3));
  EXPECT_EQ(said(state.load(life.self, {bytes.data(), bytes.size()}, 2)), "");
  EXPECT_EQ(sample.loaded, std::string("a\0b2", 4));
  const sz_sink full = {nullptr, [](void*, const void*, uint64_t) {
                          return the_offer.make_error(SZ_EXHAUSTED, "disk full");
                        }};
  EXPECT_EQ(taken(state.save(life.self, &full)).first, SZ_EXHAUSTED);
}

TEST_F(Wrapper, SamplerPlans) {
  const auto& sampler = life.extension<sz_sampler>(SZ_SAMPLER);
  const sz_sampler_setup setup = {sizeof(setup), 0, 100, 4, 1};
  ASSERT_EQ(said(sampler.setup(life.self, &setup)), "");
  std::string state, next_state;
  const sz_sink first = {&state, append}, second = {&next_state, append};
  ASSERT_EQ(said(sampler.initial_state(life.self, &first)), "");
  sz_plan_item items[4] = {};
  uint64_t count = 0;
  ASSERT_EQ(said(sampler.plan(life.self, {state.data(), state.size()}, 4, items, &count, &second)), "");
  EXPECT_EQ(count, 4u);
  EXPECT_EQ(items[3].sample, 3);
  EXPECT_EQ(next_state, "4");
  sample.excess = 1;
  EXPECT_NE(said(sampler.plan(life.self, {state.data(), state.size()}, 4, items, &count, &second)), "");
}

TEST_F(Wrapper, EventsGoOutAndComeIn) {
  sample.events->publish("hint", {{"sigma", 0.5}, {"count", 3}, {"name", "x"}, {"on", true}});
  EXPECT_EQ(fake.events, std::vector<std::string>{"hint sigma=0.500000 count=3 name=x on=true"});
  const auto [on_event, context] = fake.subscribed.at("alarm");
  const sz_field fields[] = {{"other", sz_text("y")}, {"sigma", sz_float(0.42)}};
  sz_event event = {};
  event.struct_size = sizeof(event);
  event.field_count = 2;
  event.fields = fields;
  EXPECT_EQ(said(on_event(context, &event)), "");
  EXPECT_EQ(sample.alarm, 0.42);
}

TEST_F(Wrapper, DecisionsAndRequests) {
  sz::Decisions(sample.host())
      .record({.what = "level", .cause = "asked", .from = "O1", .to = "O2", .fields = {{"n", int64_t(2)}}});
  EXPECT_EQ(fake.decisions, std::vector<std::string>{"level: asked O1 -> O2 n=2"});
  sz::Run(sample.host()).request(SZ_REQUEST_SAVE, "why not");
  EXPECT_EQ(fake.requests, std::vector<std::string>{"1 why not"});
}

TEST_F(Wrapper, GivesAService) {
  void* object = life.self;
  const auto* scorer =
      static_cast<const sz_scorer*>(life.plugin->provide(life.self, SZ_SCORER, "length", &object));
  ASSERT_NE(scorer, nullptr);
  EXPECT_EQ(scorer->version, 7u);
  EXPECT_STREQ(scorer->routes[0], "any");
  const sz_text_item items[] = {{{"abc", 3}, "en"}, {{"", 0}, nullptr}};
  double scores[2] = {-1, -1};
  uint32_t routes[2] = {9, 9};
  EXPECT_EQ(said(scorer->score(object, 2, items, scores, routes)), "");
  EXPECT_EQ(scores[0], 3);
  EXPECT_EQ(scores[1], 0);
  EXPECT_EQ(routes[1], 0u);
  int left = 2;
  const auto next = [](void* context, sz_text_item* item) {
    *item = {{"four", 4}, "en"};
    return sz_bool((*static_cast<int*>(context))-- > 0);
  };
  EXPECT_EQ(said(scorer->fit(object, next, &left)), "");
  EXPECT_EQ(sample.scorer.fitted, 8u);
  EXPECT_EQ(life.plugin->provide(life.self, SZ_SCORER, "unknown", &object), nullptr);
}

TEST_F(Wrapper, ALackingInterfaceIsAnError) {
  try {
    sample.host().get<int>("sz.unheard_of/1");
    FAIL();
  } catch (const sz::Error& error) {
    EXPECT_NE(std::string(error.what()).find("sz.unheard_of/1"), std::string::npos);
  }
}

TEST_F(Wrapper, TheDescriptorIsData) {
  const sz_descriptor& d = *life.plugin->descriptor;
  EXPECT_STREQ(d.id, "sample");
  EXPECT_STREQ(d.summary_zh, "示例");
  EXPECT_EQ(d.votes, 1u);
  EXPECT_EQ(d.state->version, 2u);
  ASSERT_NE(d.hooks[1], nullptr);
  EXPECT_EQ(d.hooks[2], nullptr);
  const sz_hook_use& hook = *d.hooks[1];
  EXPECT_EQ(hook.hook, uint32_t(SZ_STEP_END));
  EXPECT_STREQ(hook.before[0], "b");
  EXPECT_EQ(hook.before[1], nullptr);
  EXPECT_STREQ(hook.after[1], "c");
  EXPECT_EQ(hook.when[0]->op, sz_op(SZ_IN));
  EXPECT_STREQ(hook.when[0]->values[1], "O2");
  EXPECT_EQ(hook.when[0]->values[2], nullptr);
  EXPECT_EQ(hook.when[1], nullptr);
  EXPECT_STREQ(d.slots[0]->slot, "sampler");
  EXPECT_STREQ(d.gives[0]->name, "length");
  EXPECT_EQ(d.needs[0]->when, nullptr);
  EXPECT_STREQ(d.keys[0]->choices[2], "O2");
  EXPECT_EQ(d.keys[0]->help, nullptr);
  EXPECT_EQ(d.keys[1]->max, 9);
  EXPECT_STREQ(d.keys[1]->unit, "steps");
}

}  // namespace
}  // namespace sz_test
