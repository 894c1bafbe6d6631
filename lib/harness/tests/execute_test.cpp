#include "harness/case/execute.hpp"

#include "base/host_refusal.hpp"
#include "harness/tests/fixture.hpp"

namespace gpucheck::harness {
namespace {

using Status = Execution::Status;

TEST(Execute, CompletesACase) {
  Fixture fixture([](Context& context) {
    context.observe("count", 1);
    static_cast<void>(context.runtime());
  });
  const Execution execution = fixture.execute();
  EXPECT_EQ(execution.status, Status::completed) << execution.reason;
  EXPECT_EQ(execution.reason, "");
  EXPECT_TRUE(execution.broken_rules.empty());
  EXPECT_FALSE(execution.contaminated);
  EXPECT_GT(execution.duration_ms, 0);
  EXPECT_EQ(fixture.observed, (Observations{{"count", Value(std::int64_t{1})}}));
}

TEST(Execute, SkipsWhenTheCaseSaysSo) {
  Fixture fixture([](Context&) { throw Skip("needs a second link"); });
  const Execution execution = fixture.execute();
  EXPECT_EQ(execution.status, Status::skipped);
  EXPECT_EQ(execution.reason, "needs a second link");
  EXPECT_FALSE(execution.contaminated);
}

/// Also where it takes the error for an answer of the device.
TEST(Execute, WhatTheSystemRefusesIsNothingThatACaseObserves) {
  Fixture fixture([](Context& context) {
    try {
      throw HostRefusedError("this system refuses 1.00 GiB");
    } catch (const std::exception& error) {
      context.observe("error", std::string(error.what()));
    }
  });
  const Execution execution = fixture.execute();
  EXPECT_EQ(execution.status, Status::error);
  EXPECT_EQ(execution.reason, "this system refuses 1.00 GiB");
  EXPECT_TRUE(execution.contaminated);
  Fixture next([](Context& context) { context.observe("count", 1); });
  EXPECT_EQ(next.execute().status, Status::completed) << "it is of the case in which it came";
}

struct Ending {
  std::string label;
  void (*run)(Context&);
  std::string reason;
};

void PrintTo(const Ending& ending, std::ostream* out) { *out << ending.label; }

class ErrorEnding : public testing::TestWithParam<Ending> {};

TEST_P(ErrorEnding, IsAnErrorWithItsReason) {
  Fixture fixture(GetParam().run);
  const Execution execution = fixture.execute();
  EXPECT_EQ(execution.status, Status::error);
  EXPECT_NE(execution.reason.find(GetParam().reason), std::string::npos) << execution.reason;
  EXPECT_TRUE(execution.broken_rules.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Endings, ErrorEnding,
    testing::Values(
        Ending{"error", [](Context&) { throw Error("the golden ratio is off"); }, "the golden ratio is off"},
        Ending{"standard_exception", [](Context&) { static_cast<void>(std::vector<int>().at(3)); },
               "std::out_of_range: "},
        Ending{"other_type", [](Context&) { throw 42; }, "not a std::exception"},
        Ending{"device_error", [](Context& context) { device::check(context.device().free(&context), "free"); },
               "CUDA error: invalid argument"},
        Ending{"out_of_memory",
               [](Context& context) {
                 static_cast<void>(context.runtime().allocator().allocate(std::size_t{1} << 40, {}));
               },
               "CUDA out of memory. Tried to allocate"},
        Ending{"observed_twice",
               [](Context& context) {
                 context.observe("key", 1);
                 context.observe("key", 1);
               },
               "observes \"key\" twice"}),
    [](const auto& information) { return information.param.label; });

TEST(Execute, ReportsAContextThatCannotBeMade) {
  Fixture fixture([](Context&) { FAIL() << "the case ran"; });
  fixture.parameters = {{"unknown", std::int64_t{1}}};
  const Execution execution = fixture.execute();
  EXPECT_EQ(execution.status, Status::error);
  EXPECT_NE(execution.reason.find("declares no parameter \"unknown\""), std::string::npos);
  EXPECT_TRUE(execution.contaminated) << "nobody knows what was left";
}

Execution execute_with(const Needs& needs) {
  Fixture fixture([](Context& context) { context.observe("ran", true); });
  fixture.test_case.needs = needs;
  Execution execution = fixture.execute();
  EXPECT_EQ(fixture.observed.size(), execution.status == Status::completed ? 1U : 0U);
  return execution;
}

TEST(ExecuteNeeds, SkipWithTooFewDevices) {
  const Execution execution = execute_with({.devices = 2});
  EXPECT_EQ(execution.status, Status::skipped);
  EXPECT_EQ(execution.reason, "needs 2 devices, 1 is there");
}

TEST(ExecuteNeeds, SkipWithTooLittleMemory) {
  const std::uint64_t total = sim::profile("small").properties.total_memory_bytes;
  const Execution execution = execute_with({.memory_bytes = total + 1});
  EXPECT_EQ(execution.status, Status::skipped);
  EXPECT_NE(execution.reason.find("of free device memory, "), std::string::npos) << execution.reason;
  EXPECT_EQ(execute_with({.memory_bytes = total / 4}).status, Status::completed);
  EXPECT_EQ(execute_with({.memory_fraction = 0.25}).status, Status::completed);
}

TEST(ExecuteNeeds, AreMetByExactlyWhatIsFree) {
  Fixture fixture;
  const std::uint64_t free = fixture.driver->open(0).value()->memory_info().value().free_bytes;
  const std::uint64_t total = sim::profile("small").properties.total_memory_bytes;
  fixture.test_case.needs.memory_bytes = free;
  EXPECT_EQ(fixture.execute().status, Status::completed);
  fixture.test_case.needs.memory_bytes = free + 1;
  EXPECT_EQ(fixture.execute().status, Status::skipped);
  fixture.test_case.needs = {.memory_bytes = 1, .memory_fraction = 1.0};
  EXPECT_LT(free, total);
  EXPECT_EQ(fixture.execute().status, Status::skipped) << "the larger of the two counts";
  fixture.test_case.needs = {.memory_bytes = free + 1, .memory_fraction = 0.01};
  EXPECT_EQ(fixture.execute().status, Status::skipped);
}

TEST(ExecuteNeeds, AreThoseOfEachDevice) {
  Fixture fixture([](Context&) {}, 2);
  fixture.test_case.needs = {.devices = 2, .memory_fraction = 0.5};
  EXPECT_EQ(fixture.execute().status, Status::completed);
  const auto second = fixture.driver->open(1).value();
  const auto most = device::own<device::UniqueDeviceMemory>(
      *second, second->allocate(sim::profile("small").properties.total_memory_bytes / 2));
  EXPECT_EQ(fixture.execute().status, Status::skipped) << "the second one is full";
  fixture.test_case.needs = {.devices = 3};
  EXPECT_EQ(fixture.execute().reason, "needs 3 devices, 2 are there");
}

TEST(ExecuteNeeds, CountAShareOfTheMemory) {
  Fixture fixture([](Context&) {});
  const auto device = fixture.driver->open(0).value();
  const auto half = device::own<device::UniqueDeviceMemory>(
      *device, device->allocate(sim::profile("small").properties.total_memory_bytes / 2));
  fixture.test_case.needs.memory_fraction = 0.9;
  EXPECT_EQ(fixture.execute().status, Status::skipped);
  fixture.test_case.needs.memory_fraction = 0.25;
  EXPECT_EQ(fixture.execute().status, Status::completed);
}

TEST(ExecuteNeeds, SkipWithoutALibraryForTheLoadersReason) {
  const Execution execution = execute_with({.libraries = {"libc.so.6", "libgpucheck_absent.so.1"}});
  EXPECT_EQ(execution.status, Status::skipped);
  EXPECT_NE(execution.reason.find("needs libgpucheck_absent.so.1: "), std::string::npos);
  EXPECT_NE(execution.reason.find("cannot open shared object file"), std::string::npos) << execution.reason;
  EXPECT_EQ(execute_with({.libraries = {"libc.so.6"}}).status, Status::completed);
}

/// The simulated device under the name of another sort.
class OtherDriver final : public device::Driver {
 public:
  explicit OtherDriver(device::Driver& below) : below_(below) {}
  [[nodiscard]] std::string_view kind() const noexcept override { return "cuda"; }
  [[nodiscard]] device::Result<int> device_count() override { return below_.device_count(); }
  [[nodiscard]] device::Result<int> device_count_without_initialising() override {
    return below_.device_count_without_initialising();
  }
  [[nodiscard]] std::string_view visible_devices_variable() const noexcept override {
    return below_.visible_devices_variable();
  }
  [[nodiscard]] device::Result<std::unique_ptr<device::Device>> open(int ordinal) override {
    return below_.open(ordinal);
  }
  [[nodiscard]] Versions versions() override { return below_.versions(); }

 private:
  device::Driver& below_;
};

TEST(ExecuteNeeds, SkipWithoutTheSimulatedDevice) {
  Fixture fixture;
  fixture.test_case.needs.simulated_device = true;
  EXPECT_EQ(fixture.execute().status, Status::completed);
  Fixture untouched([](Context&) { FAIL() << "the case ran"; });
  untouched.test_case.needs.simulated_device = true;
  OtherDriver other(*untouched.driver);
  Context::Setup setup = untouched.setup();
  setup.driver = &other;
  const Execution execution = execute(setup);
  EXPECT_EQ(execution.status, Status::skipped);
  EXPECT_EQ(execution.reason, "needs the simulated device: run it with --device sim");
  EXPECT_TRUE(untouched.is_untouched());
}

TEST(ExecuteNeeds, SkipUnderAnotherAllocator) {
  Fixture fixture([](Context&) { FAIL() << "the case ran"; });
  fixture.allocator = runtime::parse_allocator_choice("async");
  fixture.test_case.needs.caching_allocator = true;
  Execution execution = fixture.execute();
  EXPECT_EQ(execution.status, Status::skipped);
  EXPECT_EQ(execution.reason, "needs the caching allocator, not --allocator async");
  fixture.test_case.needs = {.allocator_library = true};
  execution = fixture.execute();
  EXPECT_EQ(execution.status, Status::skipped);
  EXPECT_NE(execution.reason.find("--allocator FILE.so"), std::string::npos) << execution.reason;
  EXPECT_TRUE(fixture.is_untouched());
}

TEST(Execute, SkipsWhatTheChosenAllocatorCannotDo) {
  Fixture fixture([](Context& context) { static_cast<void>(context.runtime().allocator().snapshot()); });
  EXPECT_EQ(fixture.execute().status, Status::completed);
  fixture.allocator = runtime::parse_allocator_choice("async");
  const Execution execution = fixture.execute();
  EXPECT_EQ(execution.status, Status::skipped);
  EXPECT_NE(execution.reason.find("cudaMallocAsync"), std::string::npos) << execution.reason;
}

TEST(Execute, ReportsAnAllocatorThatCannotBeMade) {
  Fixture fixture([](Context& context) { static_cast<void>(context.runtime()); });
  fixture.allocator = runtime::parse_allocator_choice("/nowhere/mine.so");
  const Execution execution = fixture.execute();
  EXPECT_EQ(execution.status, Status::error);
  EXPECT_NE(execution.reason.find("/nowhere/mine.so"), std::string::npos) << execution.reason;
}

TEST(ExecuteNeeds, TouchNoDriverForACaseWithoutADevice) {
  Fixture fixture([](Context&) {});
  fixture.test_case.needs.devices = 0;
  EXPECT_EQ(fixture.execute().status, Status::completed);
  EXPECT_TRUE(fixture.is_untouched());
}

TEST(ExecuteNeeds, AreAnErrorWhenTheDriverFails) {
  Fixture fixture([](Context&) { FAIL() << "the case ran"; });
  const auto broken = fault::inject(sim::make_driver({.profile = sim::profile("small")}),
                                    {{{.operation = fault::Operation::initialize,
                                       .effect = fault::Effect::fail,
                                       .status = device::Status::insufficient_driver}}});
  Context::Setup setup = fixture.setup();
  setup.driver = broken.get();
  const Execution execution = execute(std::move(setup));
  EXPECT_EQ(execution.status, Status::error);
  EXPECT_NE(execution.reason.find("driver version is insufficient"), std::string::npos) << execution.reason;
}

TEST(ExecuteNeeds, AreUnmetWhenTheDriverFindsNoDevice) {
  Fixture fixture([](Context&) { FAIL() << "the case ran"; });
  const auto none =
      fault::inject(sim::make_driver({.profile = sim::profile("small")}), {{{.operation = fault::Operation::initialize,
                                                                             .effect = fault::Effect::fail,
                                                                             .status = device::Status::no_device}}});
  Context::Setup setup = fixture.setup();
  setup.driver = none.get();
  const Execution execution = execute(std::move(setup));
  EXPECT_EQ(execution.status, Status::skipped);
  EXPECT_EQ(execution.reason, "needs 1 device, 0 are there");
}

TEST(ExecuteChild, ReturnsTheChildsCode) {
  Fixture fixture;
  EXPECT_EQ(execute_child(fixture.setup(), {"child", [](Context& context) { return int(context.seed()); }}), 7);
}

TEST(ExecuteChild, IsNotHeldToNeedsOrRules) {
  Fixture fixture;
  fixture.test_case.needs.devices = 5;
  EXPECT_EQ(execute_child(fixture.setup(), {"child",
                                            [](Context& context) {
                                              poison(context);
                                              return 3;
                                            }}),
            3);
}

TEST(ExecuteChild, PrintsAnExceptionAndReturnsOne) {
  Fixture fixture;
  testing::internal::CaptureStderr();
  const int code = execute_child(fixture.setup(), {"child", [](Context&) -> int { throw Error("it broke"); }});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "child \"child\" of case test.made_up: it broke\n");
  EXPECT_EQ(code, 1);
}

TEST(ExecuteChild, CannotStartChildrenOfItsOwn) {
  Fixture fixture;
  fixture.test_case.children = {{"child", [](Context& context) {
                                   static_cast<void>(context.run_child("child", std::chrono::milliseconds(1)));
                                   return 0;
                                 }}};
  testing::internal::CaptureStderr();
  EXPECT_EQ(execute_child(fixture.setup(), fixture.test_case.children[0]), 1);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("children cannot be started here"), std::string::npos);
}

}  // namespace
}  // namespace gpucheck::harness
