#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ostream>

#include "device/owned.hpp"
#include "harness/tests/fixture.hpp"
#include "runtime/allocator/storage.hpp"

// What each class-wide rule says when a case breaks it.
namespace gpucheck::harness {
namespace {

struct BrokenRule {
  const char* key;
  void (*run)(Context&);
  const char* expected;
  const char* seen;
};
void PrintTo(const BrokenRule& rule, std::ostream* out) { *out << rule.key << ": " << rule.seen; }

constexpr BrokenRule broken_rules[] = {
    {"rule.settings_restored",
     [](Context& context) { context.runtime().allocator().set_settings("max_split_size_mb:64"); }, "as found: \"\"",
     "other values: \"max_split_size_mb:64\""},
    {"rule.memory_fraction_restored", [](Context& context) { context.runtime().allocator().set_memory_fraction(0.5); },
     "1", "0.5"},
    {"rule.allocator_memory_freed",
     [](Context& context) { static_cast<void>(context.runtime().allocator().allocate(4096, {})); }, "every block freed",
     "4096 bytes in 1 blocks"},
    {"rule.allocator_memory_freed",
     [](Context& context) {
       static_cast<void>(context.runtime().allocator().allocate(4096, {}));
       static_cast<void>(context.runtime().allocator().allocate(512, {}));
     },
     "every block freed", "4608 bytes in 2 blocks"},
    {"rule.pinned_blocks_freed",
     [](Context& context) {
       static_cast<void>(context.runtime().pinned_allocator().allocate(4096, {}));
       static_cast<void>(context.runtime().pinned_allocator().allocate(4096, {}));
     },
     "every block freed", "8192 bytes in 2 blocks"},
    {"rule.no_sticky_error", poison, "no error after synchronizing the device",
     "device-side assert triggered (cudaErrorAssert)"},
    {"rule.capture_mode_restored",
     [](Context& context) { static_cast<void>(context.device().exchange_capture_mode(device::CaptureMode::relaxed)); },
     "global", "relaxed"},
    {"rule.capture_mode_restored",
     [](Context& context) {
       static_cast<void>(context.device().exchange_capture_mode(device::CaptureMode::thread_local_));
     },
     "global", "thread-local"},
    {"rule.device_memory_freed", [](Context& context) { static_cast<void>(context.device().allocate(4096)); },
     "every allocation freed", "4096 bytes in 1 allocations"},
    {"rule.pinned_memory_freed", [](Context& context) { static_cast<void>(context.device().allocate_pinned(100)); },
     "every allocation freed", "100 bytes in 1 allocations"},
    {"rule.host_memory_unregistered",
     [](Context& context) {
       static std::vector<float> memory(1024);
       static_cast<void>(context.device().register_host(memory.data(), 4096));
     },
     "every allocation freed", "4096 bytes in 1 allocations"},
    {"rule.handles_destroyed",
     [](Context& context) {
       for (int i = 0; i < 2; ++i) static_cast<void>(context.device().create_event(device::EventKind::no_timing));
     },
     "every handle destroyed", "2 events left"},
};

class RuleText : public testing::TestWithParam<BrokenRule> {};

TEST_P(RuleText, SaysWhatWasExpectedAndWhatWasSeen) {
  Fixture fixture(GetParam().run);
  const Execution execution = fixture.execute();
  ASSERT_EQ(execution.broken_rules.size(), 1U);
  const Mismatch& mismatch = execution.broken_rules.front();
  EXPECT_EQ(mismatch.key, GetParam().key);
  EXPECT_EQ(mismatch.expected, GetParam().expected);
  EXPECT_EQ(mismatch.seen, GetParam().seen);
  EXPECT_EQ(mismatch.basis, "rule");
}

INSTANTIATE_TEST_SUITE_P(Each, RuleText, testing::ValuesIn(broken_rules));

/// Two streams fill the same memory, in whatever order.
void race_once(Context& context) {
  device::Device& device = context.device();
  const auto memory = device::own<device::UniqueDeviceMemory>(device, device.allocate(64));
  const auto make_stream = [&device] {
    return device::own<device::UniqueStream>(device, device.create_stream(device::StreamKind::non_blocking, 0));
  };
  const auto first = make_stream();
  const auto second = make_stream();
  device::check(device.fill(memory.get(), 1, 64, first.get()), "fill");
  device::check(device.fill(memory.get(), 2, 64, second.get()), "fill");
  device::check(device.synchronize(), "synchronize");
}

TEST(RuleTexts, NameTheFirstOfSeveralHazards) {
  Fixture one(race_once);
  const Execution alone = one.execute();
  ASSERT_EQ(alone.broken_rules.size(), 1U);
  EXPECT_EQ(alone.broken_rules[0].expected, "every access ordered");
  EXPECT_EQ(alone.broken_rules[0].seen, one.driver->races().at(0).description);
  Fixture two([](Context& context) {
    race_once(context);
    race_once(context);
  });
  const Execution both = two.execute();
  ASSERT_EQ(both.broken_rules.size(), 1U);
  EXPECT_EQ(both.broken_rules[0].seen, two.driver->races().at(0).description + " (and 1 more)");
}

TEST(RuleTexts, NameTheStreamThatWasCurrentAndTheOneThatIs) {
  static std::uint64_t found = 0;
  Fixture fixture([](Context& context) {
    found = context.runtime().current_stream().value;
    context.runtime().set_current_stream(device::Stream{found + 0x2a});
  });
  const Execution execution = fixture.execute();
  ASSERT_EQ(execution.broken_rules.size(), 1U);
  EXPECT_EQ(execution.broken_rules[0].key, "rule.current_stream_restored");
  EXPECT_EQ(execution.broken_rules[0].expected, fmt::format("stream {:#x}", found));
  EXPECT_EQ(execution.broken_rules[0].seen, fmt::format("stream {:#x}", found + 0x2a));
}

TEST(RuleTexts, CountFreesThatWereRefused) {
  Fixture one([](Context& context) {
    runtime::Runtime& runtime = context.runtime();
    const runtime::Storage storage(runtime.allocator(), 512, runtime.current_stream());
    runtime.allocator().free(storage.data());
  });
  const Execution alone = one.execute();
  ASSERT_EQ(alone.broken_rules.size(), 1U);
  EXPECT_EQ(alone.broken_rules[0].expected, "every free accepted by its allocator");
  EXPECT_THAT(alone.broken_rules[0].seen, testing::Not(testing::HasSubstr("more)")));
  Fixture two([](Context& context) {
    runtime::Runtime& runtime = context.runtime();
    const runtime::Storage first(runtime.allocator(), 512, runtime.current_stream());
    const runtime::Storage second(runtime.allocator(), 512, runtime.current_stream());
    runtime.allocator().free(first.data());
    runtime.allocator().free(second.data());
  });
  const Execution both = two.execute();
  ASSERT_EQ(both.broken_rules.size(), 1U);
  EXPECT_THAT(both.broken_rules[0].seen, testing::EndsWith(" (and 1 more)"));
}

}  // namespace
}  // namespace gpucheck::harness
