#include "plugin_host/descriptor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sz/hooks.h>
#include <sz/plugin.h>

#include <functional>

#include "base/error.h"

namespace sz {
namespace {

using testing::HasSubstr;

// A whole descriptor; tests break one thing of it.
struct Made {
  const char* values[2] = {"0.10", nullptr};
  sz_condition condition = {sizeof(sz_condition), SZ_EQUAL, "share", values};
  const sz_condition* when[2] = {&condition, nullptr};
  const char* others[2] = {"amp_o2", nullptr};
  sz_hook_use hook = {sizeof(sz_hook_use), SZ_STEP_END, others, nullptr, when};
  const sz_hook_use* hooks[2] = {&hook, nullptr};
  sz_slot_use slot = {sizeof(sz_slot_use), 0, "sampler", nullptr};
  const sz_slot_use* slots[2] = {&slot, nullptr};
  sz_give give = {sizeof(sz_give), 0, "sz.scorer/1", nullptr, nullptr};
  const sz_give* gives[2] = {&give, nullptr};
  sz_need need = {sizeof(sz_need), SZ_NEED_PLUGIN, "amp_o2", nullptr};
  const sz_need* needs[2] = {&need, nullptr};
  sz_key key = {sizeof(sz_key), SZ_KEY_FLOAT, "share", "0.5", "how much", "tokens", nullptr, 0, 1, 0, 1};
  const sz_key* keys[2] = {&key, nullptr};
  sz_state_use state = {sizeof(sz_state_use), SZ_STATE_CHECKPOINT_AND_ROLLBACK, 2, 0};
  sz_descriptor descriptor = {sizeof(sz_descriptor), SZ_DRAFT, "mine", "1.2.3", "MIT",  "does", "做事", needs,
                              gives,                 hooks,    slots,  keys,    &state, 1,      0};
};

std::string fault(const std::function<void(Made&)>& damage) {
  Made made;
  damage(made);
  try {
    copy_descriptor(&made.descriptor, "/p/mine.so");
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::kPlugin);
    EXPECT_THAT(error.what(), HasSubstr("/p/mine.so"));
    return error.what();
  }
  return "";
}

TEST(Descriptor, IsCopiedWhole) {
  Made made;
  const Descriptor d = copy_descriptor(&made.descriptor, "x");
  EXPECT_EQ(d.id, "mine");
  EXPECT_EQ(d.summary_zh, "做事");
  ASSERT_EQ(d.hooks.size(), 1u);
  EXPECT_EQ(d.hooks[0].hook, Hook::kStepEnd);
  EXPECT_EQ(d.hooks[0].before, std::vector<std::string>{"amp_o2"});
  EXPECT_EQ(d.hooks[0].when[0].values, std::vector<std::string>{"0.1"});  // as numbers are written
  EXPECT_EQ(d.slots[0].slot, Slot::kSampler);
  EXPECT_EQ(d.gives[0].name, "mine");  // the id where no name is given
  EXPECT_EQ(d.needs[0].id, "amp_o2");
  EXPECT_EQ(d.keys[0].help, "how much (tokens)");
  EXPECT_EQ(d.keys[0].max, 1);
  EXPECT_TRUE(d.keys[0].per_host);
  EXPECT_TRUE(d.state->rollback);
  EXPECT_EQ(d.state->version, 2u);
  EXPECT_TRUE(d.votes);
}

TEST(Descriptor, EveryFaultNamesItsField) {
  EXPECT_THAT(fault([](Made& m) { m.descriptor.id = nullptr; }), HasSubstr("id is missing"));
  EXPECT_THAT(fault([](Made& m) { m.descriptor.id = "Not-An-Id"; }), HasSubstr("Not-An-Id"));
  EXPECT_THAT(fault([](Made& m) { m.descriptor.version = nullptr; }), HasSubstr("version"));
  EXPECT_THAT(fault([](Made& m) { m.descriptor.summary = "\xff\xfe"; }), HasSubstr("summary isn't valid UTF-8"));
  EXPECT_THAT(fault([](Made& m) { m.descriptor.struct_size = 16; }), HasSubstr("struct_size 16"));
  EXPECT_THAT(fault([](Made& m) { m.hook.hook = 23; }), HasSubstr("unknown hook 23"));
  EXPECT_THAT(fault([](Made& m) { m.hook.struct_size = 4; }), HasSubstr("hooks has struct_size 4"));
  EXPECT_THAT(fault([](Made& m) { m.slot.slot = "sharding"; }), HasSubstr("'sharding'"));
  EXPECT_THAT(fault([](Made& m) { m.give.service = "sz.scorer"; }), HasSubstr("sz.scorer/1"));
  EXPECT_THAT(fault([](Made& m) { m.give.service = "sz.scorer/0"; }), HasSubstr("gives.service"));
  EXPECT_THAT(fault([](Made& m) { m.need.kind = 9; }), HasSubstr("unknown kind 9"));
  EXPECT_THAT(fault([](Made& m) { m.condition.key = "absent"; }), HasSubstr("'absent' is none of"));
  EXPECT_THAT(fault([](Made& m) { m.condition.op = 7; }), HasSubstr("unknown op 7"));
  EXPECT_THAT(fault([](Made& m) { m.values[0] = "much"; }), HasSubstr("hook STEP_END.when"));
  EXPECT_THAT(fault([](Made& m) { m.values[0] = nullptr; }), HasSubstr("compared with 0 values"));
  EXPECT_THAT(fault([](Made& m) { m.key.type = 6; }), HasSubstr("unknown type 6"));
  EXPECT_THAT(fault([](Made& m) { m.key.name = "enabled"; }), HasSubstr("the host's own"));
  EXPECT_THAT(fault([](Made& m) { m.key.name = "a.b"; }), HasSubstr("bare TOML key"));
  EXPECT_THAT(fault([](Made& m) { m.key.default_toml = "2.5"; }), HasSubstr("default_toml"));
  EXPECT_THAT(fault([](Made& m) { m.key.default_toml = "\"text\""; }), HasSubstr("default_toml"));
  EXPECT_THAT(fault([](Made& m) { m.key.default_toml = "1\nother = 2"; }), HasSubstr("default_toml"));
  EXPECT_THAT(fault([](Made& m) { m.key.min = 2; }), HasSubstr("minimum above its maximum"));
  EXPECT_THAT(fault([](Made& m) { m.state.version = 0; }), HasSubstr("version 0"));
}

TEST(Descriptor, LargerStructsOfNewerPluginsAreRead) {
  Made made;
  made.descriptor.struct_size += 64;
  EXPECT_EQ(copy_descriptor(&made.descriptor, "x").id, "mine");
}

TEST(Descriptor, NullListsAreEmpty) {
  Made made;
  made.descriptor.needs = nullptr;
  made.descriptor.gives = nullptr;
  made.descriptor.hooks = nullptr;
  made.descriptor.slots = nullptr;
  made.descriptor.keys = nullptr;
  made.descriptor.state = nullptr;
  const Descriptor d = copy_descriptor(&made.descriptor, "x");
  EXPECT_TRUE(d.hooks.empty() && d.keys.empty() && !d.state);
}

}  // namespace
}  // namespace sz
