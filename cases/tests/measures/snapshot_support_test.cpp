#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>

#include "cases/snapshot/python_support.hpp"
#include "cases/snapshot/support.hpp"
#include "cases/tests/run_case.hpp"
#include "cases/trace/event_support.hpp"
#include "device/sim/sim_driver.hpp"

// What the cases of snapshots and of traces look things up with, in snapshots made by hand.
namespace gpucheck::cases::test_of_snapshot_support {
namespace {

using runtime::BlockState;
using ::testing::ElementsAre;

/// Two segments of two blocks each; each block has a stack of its own.
observe::MemorySnapshot two_segments() {
  observe::MemorySnapshot snapshot;
  snapshot.stacks.resize(5);
  for (std::size_t i = 1; i < 5; ++i) snapshot.stacks[i] = {{.name = "f" + std::to_string(i), .filename = "a.cpp"}};
  snapshot.segments.resize(2);
  const auto block = [](std::uint64_t address, std::uint64_t requested, BlockState state) {
    return runtime::BlockInfo{.address = address, .size = 512, .requested_size = requested, .state = state};
  };
  snapshot.segments[0].info.blocks = {block(0x1000, 100, BlockState::inactive),
                                      block(0x1200, 200, BlockState::active_allocated)};
  snapshot.segments[0].block_stacks = {1, 2};
  snapshot.segments[1].info.blocks = {block(0x2000, 100, BlockState::active_allocated),
                                      block(0x2200, 200, BlockState::active_allocated)};
  snapshot.segments[1].block_stacks = {3, 4};
  return snapshot;
}

TEST(FindLive, IsTheFirstBlockInUseOfThatSize) {
  const observe::MemorySnapshot snapshot = two_segments();
  const in_snapshot::FoundBlock of_100 = in_snapshot::find_live(snapshot, 100);
  EXPECT_EQ(of_100.info.address, 0x2000U) << "another one of that size is not in use";
  ASSERT_EQ(of_100.stack.size(), 1U);
  EXPECT_EQ(of_100.stack.front().name, "f3");
  const in_snapshot::FoundBlock of_200 = in_snapshot::find_live(snapshot, 200);
  EXPECT_EQ(of_200.info.address, 0x1200U);
  EXPECT_EQ(of_200.stack.front().name, "f2");
  EXPECT_EQ(in_snapshot::find_live(snapshot, 512).info.address, 0U) << "which nobody asked for";
  EXPECT_TRUE(in_snapshot::find_live(snapshot, 512).stack.empty());
}

TEST(LastAction, IsTheYoungest) {
  observe::MemorySnapshot snapshot;
  EXPECT_EQ(in_snapshot::last_action(snapshot), "");
  snapshot.trace.resize(2);
  snapshot.trace[0].action = runtime::MemoryAction::oom;
  snapshot.trace[1].action = runtime::MemoryAction::alloc;
  EXPECT_EQ(in_snapshot::last_action(snapshot), "alloc");
}

TEST(Names, AreOfFunctionsAndFiles) {
  const observe::Stack stack{{.name = "inner(int)", .filename = "a.cpp"}, {.name = "outer", .filename = "b/c.cpp"}};
  EXPECT_TRUE(in_snapshot::names(stack, "inner"));
  EXPECT_TRUE(in_snapshot::names(stack, "b/c.cpp"));
  EXPECT_FALSE(in_snapshot::names(stack, "other"));
  EXPECT_FALSE(in_snapshot::names({}, "inner"));
  EXPECT_TRUE(in_snapshot::contains("abc", "bc"));
  EXPECT_FALSE(in_snapshot::contains("abc", "cb"));
}

/// Each tensor is allocated, three at once, and freed.
TEST(Combine, MakesThreeTensorsAtATime) {
  const auto driver = sim::make_driver({.profile = sim::profile("small")});
  const auto device = driver->open(0).value();
  runtime::Runtime runtime(*device);
  const runtime::Buffer<float> x = in_snapshot::random_tensor(runtime, 1000);
  EXPECT_EQ(x.size(), 1000U);
  runtime.allocator().reset_peak_stats();
  in_snapshot::combine(runtime, x);
  const runtime::Statistic blocks = runtime.allocator().stats().allocation.all;
  EXPECT_EQ(blocks.peak, 4);
  EXPECT_EQ(blocks.current, 1);
}

/// Kernels of the simulated device, up to now.
std::uint64_t launches(const sim::Driver& driver) {
  for (const auto& [name, calls] : driver.api_calls().by_name) {
    if (name == "launch_kernel") return calls;
  }
  return 0;
}

TEST(Combine, AddsThreeTimes) {
  const auto driver = sim::make_driver({.profile = sim::profile("small")});
  const auto device = driver->open(0).value();
  runtime::Runtime runtime(*device);
  const runtime::Buffer<float> x = in_snapshot::random_tensor(runtime, 1000);
  const std::uint64_t before = launches(*driver);
  in_snapshot::combine(runtime, x);
  EXPECT_EQ(launches(*driver), before + 3);
}

/// A block that is nowhere is not the tensor that is nowhere.
TEST(StateHistory, OfATensorThatWasNotMadeFindsNone) {
  for (const char* name : {"allocation_fails", "kernel_fails"}) {
    const harness::Case& test_case = case_named("snapshot.state_history");
    const Seen seen = run_case(test_case, {.plan = test_case.find_fault(name)->plan});
    if (seen.is_skipped()) GTEST_SKIP() << seen.execution.reason;
    ASSERT_TRUE(seen.is_completed()) << seen.execution.reason;
    EXPECT_NE(seen.text("error"), "") << name;
    EXPECT_FALSE(seen.flag("block_at_tensor")) << name;
    EXPECT_EQ(seen.text("source_of_first_frame"), "") << name;
    EXPECT_FALSE(seen.flag("usage_page_names_source")) << name;
  }
}

// -- Python -------------------------------------------------------------------------------------------

/// What the program prints; nothing where there is no python3.
std::optional<std::string> python(std::string_view program, std::string_view input = "",
                                  const std::vector<std::string>& arguments = {}) {
  try {
    return in_snapshot::run_python(program, input, arguments);
  } catch (const harness::Skip&) {
    return std::nullopt;
  }
}

TEST(Python, GetsItsInputAndItsArgumentsAndPrintsWithoutTheLastLineBreaks) {
  const std::string input = "a'b" + std::string(100'000, 'x');
  const auto printed = python(
      "import sys; text = open(sys.argv[1]).read(); print(text[:4], len(text)); print(sys.argv[2:]); print('y' * "
      "9000); "
      "print()",
      input, {"it's", "two words", ""});
  if (!printed) GTEST_SKIP() << "no python3";
  EXPECT_EQ(*printed, "a'bx 100003\n[\"it's\", 'two words', '']\n" + std::string(9000, 'y'));
}

TEST(Python, ThatEndsWithAnErrorSaysItsLastWords) {
  const auto printed = python("print('before'); raise ValueError('why')");
  if (!printed) GTEST_SKIP() << "no python3";
  EXPECT_EQ(*printed, "failed: ValueError: why");
}

// -- hooks --------------------------------------------------------------------------------------------

template <typename Observe>
Seen observed(Observe run) {
  harness::Case made;
  made.name = "test.calls";
  made.run = run;
  return run_case(made);
}

constexpr device::Event own_event{5};
constexpr device::Event other_event{6};

TEST(ObservedCalls, AreCountedAndTheFirstIsHeldToTheEvent) {
  const Seen right = observed([](harness::Context& context) {
    in_trace::observe_calls(context, in_trace::Events{own_event, other_event}, own_event);
  });
  EXPECT_EQ(right.number("calls"), 2);
  EXPECT_TRUE(right.flag("event_given"));
  const Seen wrong = observed([](harness::Context& context) {
    in_trace::observe_calls(context, in_trace::Events{other_event, own_event}, own_event);
  });
  EXPECT_FALSE(wrong.flag("event_given"));
  const Seen none =
      observed([](harness::Context& context) { in_trace::observe_calls(context, in_trace::Events{}, own_event); });
  EXPECT_EQ(none.number("calls"), 0);
  EXPECT_FALSE(none.flag("event_given"));
  const Seen null = observed([](harness::Context& context) {
    in_trace::observe_calls(context, in_trace::Events{device::Event{}}, device::Event{});
  });
  EXPECT_FALSE(null.flag("event_given")) << "an event that is none";
}

TEST(ObservedCalls, OfEventsInStreamsNameTheStream) {
  const Seen seen = observed([](harness::Context& context) {
    in_trace::observe_calls(
        context, in_trace::EventsInStreams{{own_event, device::Stream{0x1F}}, {other_event, device::Stream{2}}},
        own_event);
  });
  EXPECT_EQ(seen.number("calls"), 2);
  EXPECT_TRUE(seen.flag("event_given"));
  EXPECT_EQ(seen.text("stream"), "0x1f");
  const Seen none = observed(
      [](harness::Context& context) { in_trace::observe_calls(context, in_trace::EventsInStreams{}, own_event); });
  EXPECT_EQ(none.text("stream"), "none");
  EXPECT_FALSE(none.flag("event_given"));
}

TEST(ObservedCalls, OfStreamsAreHeldToTheFirst) {
  const auto given = [](const in_trace::Streams& calls, device::Stream stream) {
    static in_trace::Streams all;
    static device::Stream own;
    all = calls;
    own = stream;
    const Seen seen = observed([](harness::Context& context) { in_trace::observe_calls(context, all, own); });
    EXPECT_EQ(seen.number("calls"), std::ssize(calls));
    return seen.flag("stream_given");
  };
  EXPECT_TRUE(given({device::Stream{5}, device::Stream{6}}, device::Stream{5}));
  EXPECT_FALSE(given({device::Stream{6}, device::Stream{5}}, device::Stream{5})) << "another one first";
  EXPECT_FALSE(given({}, device::Stream{5})) << "no call";
  EXPECT_FALSE(given({device::Stream{}}, device::Stream{})) << "the default stream";
}

TEST(ObservedCalls, AreHeldToTheAddress) {
  const Seen right = observed([](harness::Context& context) {
    in_trace::observe_calls(context, in_trace::Addresses{64, 65}, std::uintptr_t{64});
  });
  EXPECT_EQ(right.number("calls"), 2);
  EXPECT_TRUE(right.flag("tensor_address_given"));
  const Seen wrong = observed([](harness::Context& context) {
    in_trace::observe_calls(context, in_trace::Addresses{65, 64}, std::uintptr_t{64});
  });
  EXPECT_FALSE(wrong.flag("tensor_address_given"));
  const Seen null = observed(
      [](harness::Context& context) { in_trace::observe_calls(context, in_trace::Addresses{0}, std::uintptr_t{0}); });
  EXPECT_FALSE(null.flag("tensor_address_given"));
}

}  // namespace
}  // namespace gpucheck::cases::test_of_snapshot_support
