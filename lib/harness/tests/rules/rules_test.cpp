#include <cmath>

#include "harness/tests/fixture.hpp"

// Each class-wide rule is broken on purpose, alone, and kept by a twin.
namespace gpucheck::harness {
namespace {

using device::CaptureMode;
using Keys = std::vector<std::string>;
using Status = Execution::Status;

TEST(Rules, AreKeptByACaseThatTidiesUp) {
  EXPECT_EQ(broken_by([](Context& context) {
              runtime::Runtime& runtime = context.runtime();
              void* block = runtime.allocator().allocate(4096, context.device().default_stream());
              runtime.allocator().free(block);  // stays cached, and that is fine
              runtime.allocator().set_settings("max_split_size_mb:64");
              runtime.allocator().set_settings("");
              const runtime::CurrentStreamGuard guard(runtime, runtime.streams().next());
              void* memory = context.device().allocate(4096).value();
              device::check(context.device().free(memory), "free");
              void* pinned = context.device().allocate_pinned(4096).value();
              device::check(context.device().free_pinned(pinned), "free_pinned");
              void* async = context.device().allocate_async(4096, {}).value();
              device::check(context.device().free_async(async, {}), "free_async");
            }),
            Keys{});
}

TEST(Rules, SeeAStickyError) { EXPECT_EQ(broken_by(poison), Keys{"rule.no_sticky_error"}); }

TEST(Rules, SayWhichStickyErrorItIs) {
  Fixture fixture(poison);
  const Execution execution = fixture.execute();
  ASSERT_EQ(execution.broken_rules.size(), 1U);
  EXPECT_EQ(execution.broken_rules[0].seen, "device-side assert triggered (cudaErrorAssert)");
}

TEST(Rules, SeeAStickyErrorThatOneWitnessAloneShows) {
  using enum fault::Operation;
  const std::vector<std::vector<fault::Operation>> hidden{
      {last_error, memory_info}, {synchronize, memory_info}, {synchronize, last_error}};
  for (const std::vector<fault::Operation>& operations : hidden) {
    fault::Plan plan;
    for (const fault::Operation operation : operations) {
      plan.rules.push_back({.operation = operation, .effect = fault::Effect::report_success, .times = 0});
    }
    Fixture fixture(poison);
    const auto faulty = fault::inject(sim::make_driver({.profile = sim::profile("small")}), plan);
    Context::Setup setup = fixture.setup();
    setup.driver = faulty.get();
    EXPECT_EQ(keys(execute(std::move(setup)).broken_rules), Keys{"rule.no_sticky_error"})
        << to_text(operations[0]) << " and " << to_text(operations[1]) << " hide it";
  }
}

TEST(Rules, ForgiveAnErrorThatPasses) {
  EXPECT_EQ(
      broken_by([](Context& context) { EXPECT_EQ(context.device().free(&context), device::Status::invalid_value); }),
      Keys{});
}

TEST(Rules, SeeACaptureLeftOpen) {
  EXPECT_EQ(broken_by([](Context& context) {
              const device::Stream stream = context.device().create_stream(device::StreamKind::non_blocking, 0).value();
              device::check(context.device().begin_capture(stream, CaptureMode::global), "begin_capture");
            }),
            Keys{"rule.no_sticky_error"});
}

TEST(Rules, SeeSettingsChanged) {
  EXPECT_EQ(broken_by([](Context& context) { context.runtime().allocator().set_settings("max_split_size_mb:64"); }),
            Keys{"rule.settings_restored"});
}

TEST(Rules, SeeEverySettingChanged) {
  for (const char* text :
       {"max_split_size_mb:20", "max_non_split_rounding_mb:30", "roundup_power2_divisions:2",
        "roundup_power2_divisions:[1:0,32768:2]", "garbage_collection_threshold:0.5", "large_segment_size_mb:30",
        "expandable_segments:True", "release_lock_on_cudamalloc:True", "graph_capture_record_stream_reuse:True",
        "pinned_use_cuda_host_register:True", "pinned_num_register_threads:2", "pinned_reserve_segment_size_mb:1",
        "pinned_use_background_threads:True", "per_process_memory_fraction:0.5"}) {
    Fixture fixture([](Context& context) {
      context.runtime().allocator().set_settings(context.parameter<std::string>("settings"));
    });
    fixture.test_case.parameters = {{.name = "settings", .summary = "", .default_value = std::string()}};
    fixture.parameters = {{"settings", std::string(text)}};
    const Execution execution = fixture.execute();
    EXPECT_EQ(execution.status, Status::completed) << execution.reason;
    EXPECT_EQ(keys(execution.broken_rules), Keys{"rule.settings_restored"}) << text;
  }
}

TEST(Rules, SeeTheMemoryFractionChanged) {
  EXPECT_EQ(broken_by([](Context& context) { context.runtime().allocator().set_memory_fraction(0.5); }),
            Keys{"rule.memory_fraction_restored"});
  EXPECT_EQ(
      broken_by([](Context& context) { context.runtime().allocator().set_memory_fraction(std::nextafter(1.0, 0.0)); }),
      Keys{"rule.memory_fraction_restored"});
}

TEST(Rules, SeeTheCaptureModeChanged) {
  EXPECT_EQ(broken_by([](Context& context) {
              static_cast<void>(context.device().exchange_capture_mode(CaptureMode::relaxed));
            }),
            Keys{"rule.capture_mode_restored"});
  EXPECT_EQ(broken_by([](Context& context) {
              static_cast<void>(context.device().exchange_capture_mode(CaptureMode::thread_local_));
            }),
            Keys{"rule.capture_mode_restored"});
  EXPECT_EQ(broken_by([](Context& context) {
              static_cast<void>(context.device().exchange_capture_mode(CaptureMode::thread_local_));
              static_cast<void>(context.device().exchange_capture_mode(CaptureMode::global));
            }),
            Keys{});
}

TEST(Rules, SeeAnotherCurrentStream) {
  EXPECT_EQ(
      broken_by([](Context& context) { context.runtime().set_current_stream(context.runtime().streams().next()); }),
      Keys{"rule.current_stream_restored"});
}

/// Two streams write the same memory; `ordered` says whether one waits for the other.
void write_twice(Context& context, bool ordered) {
  device::Device& device = context.device();
  const auto memory = device::own<device::UniqueDeviceMemory>(device, device.allocate(64));
  const auto make_stream = [&device] {
    return device::own<device::UniqueStream>(device, device.create_stream(device::StreamKind::non_blocking, 0));
  };
  const auto first = make_stream();
  const auto second = make_stream();
  device::check(device.fill(memory.get(), 1, 64, first.get()), "fill");
  if (ordered) device::check(device.synchronize(first.get()), "synchronize");
  device::check(device.fill(memory.get(), 2, 64, second.get()), "fill");
  device::check(device.synchronize(), "synchronize");
}

TEST(Rules, SeeAnUnorderedAccess) {
  EXPECT_EQ(broken_by([](Context& context) { write_twice(context, false); }), Keys{"rule.no_hazard"});
  EXPECT_EQ(broken_by([](Context& context) { write_twice(context, true); }), Keys{});
}

TEST(Rules, BlameNoCaseForHazardsBeforeIt) {
  Fixture fixture([](Context& context) { write_twice(context, false); });
  EXPECT_EQ(keys(fixture.execute().broken_rules), Keys{"rule.no_hazard"});
  fixture.test_case.run = [](Context&) {};
  EXPECT_TRUE(fixture.execute().broken_rules.empty());
}

TEST(Rules, NameTheCasesOwnHazards) {
  Fixture fixture([](Context& context) { write_twice(context, false); });
  static_cast<void>(fixture.execute());
  const std::size_t before = fixture.driver->races().size();
  fixture.test_case.run = [](Context& context) {
    for (int i = 0; i < 3; ++i) write_twice(context, false);
  };
  const Execution execution = fixture.execute();
  const std::vector<device::Race> races = fixture.driver->races();
  ASSERT_EQ(races.size(), before + 3);
  ASSERT_EQ(execution.broken_rules.size(), 1U);
  EXPECT_EQ(execution.broken_rules[0].seen, races[before].description + " (and 2 more)");
  ASSERT_NE(races[before].description, races[0].description) << "else nothing tells them apart";
}

/// The rules that a case on two devices breaks, with what was seen.
std::vector<std::pair<std::string, std::string>> broken_on_two(void (*run)(Context&)) {
  Fixture fixture(run, 2);
  fixture.test_case.needs.devices = 2;
  const Execution execution = fixture.execute();
  EXPECT_EQ(execution.status, Status::completed) << execution.reason;
  std::vector<std::pair<std::string, std::string>> broken;
  for (const Mismatch& mismatch : execution.broken_rules) broken.emplace_back(mismatch.key, mismatch.seen);
  return broken;
}

TEST(Rules, LookAtEachOfSeveralDevices) {
  using Broken = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(broken_on_two([](Context& context) { static_cast<void>(context.device(1).allocate(4096)); }),
            (Broken{{"rule.device_memory_freed", "device 1: 4096 bytes in 1 allocations"}}));
  EXPECT_EQ(broken_on_two([](Context& context) {
              static_cast<void>(context.device(0).allocate_pinned(100));
              static_cast<void>(context.runtime(1).allocator().allocate(4096, {}));
            }),
            (Broken{{"rule.allocator_memory_freed", "device 1: 4096 bytes in 1 blocks"},
                    {"rule.pinned_memory_freed", "device 0: 100 bytes in 1 allocations"}}));
  EXPECT_EQ(broken_on_two([](Context& context) {
              static_cast<void>(context.runtime(0));
              static_cast<void>(context.runtime(1));
            }),
            Broken{});
}

TEST(Rules, AreAllToldWhereSeveralAreBroken) {
  EXPECT_EQ(broken_by([](Context& context) {
              context.runtime().allocator().set_memory_fraction(0.5);
              context.runtime().set_current_stream(context.runtime().streams().next());
              static_cast<void>(context.device().exchange_capture_mode(CaptureMode::relaxed));
              static_cast<void>(context.device().allocate(4096));
              static_cast<void>(context.device().allocate_pinned(4096));
              write_twice(context, false);
            }),
            (Keys{"rule.memory_fraction_restored", "rule.current_stream_restored", "rule.capture_mode_restored",
                  "rule.device_memory_freed", "rule.pinned_memory_freed", "rule.no_hazard"}));
  EXPECT_EQ(broken_by([](Context& context) {
              context.runtime().allocator().set_memory_fraction(0.5);
              static_cast<void>(context.device().allocate(4096));
              poison(context);
            }),
            (Keys{"rule.memory_fraction_restored", "rule.no_sticky_error"}))
      << "a device with a sticky error cannot be asked further";
}

TEST(Rules, DoNotJudgeACaseThatDidNotComplete) {
  Fixture fixture([](Context& context) {
    static_cast<void>(context.device().allocate(4096));
    throw Error("half way");
  });
  const Execution failed = fixture.execute();
  EXPECT_EQ(failed.status, Status::error);
  EXPECT_EQ(failed.reason, "half way");
  EXPECT_TRUE(failed.broken_rules.empty());
  EXPECT_TRUE(failed.contaminated);
  fixture.test_case.run = [](Context& context) {
    context.runtime().allocator().set_memory_fraction(0.5);
    throw Skip("not here");
  };
  const Execution skipped = fixture.execute();
  EXPECT_EQ(skipped.status, Status::skipped);
  EXPECT_TRUE(skipped.contaminated);
}

}  // namespace
}  // namespace gpucheck::harness
