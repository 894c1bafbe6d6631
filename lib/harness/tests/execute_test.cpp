#include "harness/execute.hpp"

#include "harness/tests/bench.hpp"

namespace gpucheck::harness {
namespace {

using Status = Execution::Status;

TEST(Execute, CompletesACase) {
  Bench bench([](Context& context) {
    context.observe("count", 1);
    static_cast<void>(context.runtime());
  });
  const Execution execution = bench.execute();
  EXPECT_EQ(execution.status, Status::completed) << execution.reason;
  EXPECT_EQ(execution.reason, "");
  EXPECT_TRUE(execution.broken_rules.empty());
  EXPECT_FALSE(execution.contaminated);
  EXPECT_GT(execution.duration_ms, 0);
  EXPECT_EQ(bench.observed, (Observations{{"count", Value(std::int64_t{1})}}));
}

TEST(Execute, SkipsWhenTheCaseSaysSo) {
  Bench bench([](Context&) { throw Skip("needs a second link"); });
  const Execution execution = bench.execute();
  EXPECT_EQ(execution.status, Status::skipped);
  EXPECT_EQ(execution.reason, "needs a second link");
  EXPECT_FALSE(execution.contaminated);
}

struct Ending {
  std::string label;
  void (*run)(Context&);
  std::string reason;
};

void PrintTo(const Ending& ending, std::ostream* out) { *out << ending.label; }

class ErrorEnding : public testing::TestWithParam<Ending> {};

TEST_P(ErrorEnding, IsAnErrorWithItsReason) {
  Bench bench(GetParam().run);
  const Execution execution = bench.execute();
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
        Ending{"other_type", [](Context&) { throw 42; }, "no std::exception"},
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
  Bench bench([](Context&) { FAIL() << "the case ran"; });
  bench.parameters = {{"unknown", std::int64_t{1}}};
  const Execution execution = bench.execute();
  EXPECT_EQ(execution.status, Status::error);
  EXPECT_NE(execution.reason.find("declares no parameter \"unknown\""), std::string::npos);
}

Execution execute_with(const Needs& needs) {
  Bench bench([](Context& context) { context.observe("ran", true); });
  bench.which.needs = needs;
  Execution execution = bench.execute();
  EXPECT_EQ(bench.observed.size(), execution.status == Status::completed ? 1U : 0U);
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

TEST(ExecuteNeeds, CountAShareOfTheMemory) {
  Bench bench([](Context&) {});
  const auto device = std::move(bench.driver->open(0).value());
  const auto half = device::own<device::UniqueDeviceMemory>(
      *device, device->allocate(sim::profile("small").properties.total_memory_bytes / 2));
  bench.which.needs.memory_fraction = 0.9;
  EXPECT_EQ(bench.execute().status, Status::skipped);
  bench.which.needs.memory_fraction = 0.25;
  EXPECT_EQ(bench.execute().status, Status::completed);
}

TEST(ExecuteNeeds, SkipWithoutALibraryForTheLoadersReason) {
  const Execution execution = execute_with({.libraries = {"libc.so.6", "libgpucheck_absent.so.1"}});
  EXPECT_EQ(execution.status, Status::skipped);
  EXPECT_NE(execution.reason.find("needs libgpucheck_absent.so.1: "), std::string::npos);
  EXPECT_NE(execution.reason.find("cannot open shared object file"), std::string::npos) << execution.reason;
  EXPECT_EQ(execute_with({.libraries = {"libc.so.6"}}).status, Status::completed);
}

TEST(ExecuteNeeds, SkipUnderAnotherAllocator) {
  Bench bench([](Context&) { FAIL() << "the case ran"; });
  bench.allocator = runtime::parse_allocator_choice("async");
  bench.which.needs.caching_allocator = true;
  Execution execution = bench.execute();
  EXPECT_EQ(execution.status, Status::skipped);
  EXPECT_EQ(execution.reason, "needs the caching allocator, not --allocator async");
  bench.which.needs = {.allocator_library = true};
  execution = bench.execute();
  EXPECT_EQ(execution.status, Status::skipped);
  EXPECT_NE(execution.reason.find("--allocator FILE.so"), std::string::npos) << execution.reason;
  EXPECT_TRUE(bench.is_untouched());
}

TEST(Execute, SkipsWhatTheChosenAllocatorCannotDo) {
  Bench bench([](Context& context) { static_cast<void>(context.runtime().allocator().snapshot()); });
  EXPECT_EQ(bench.execute().status, Status::completed);
  bench.allocator = runtime::parse_allocator_choice("async");
  const Execution execution = bench.execute();
  EXPECT_EQ(execution.status, Status::skipped);
  EXPECT_NE(execution.reason.find("cudaMallocAsync"), std::string::npos) << execution.reason;
}

TEST(Execute, ReportsAnAllocatorThatCannotBeMade) {
  Bench bench([](Context& context) { static_cast<void>(context.runtime()); });
  bench.allocator = runtime::parse_allocator_choice("/nowhere/mine.so");
  const Execution execution = bench.execute();
  EXPECT_EQ(execution.status, Status::error);
  EXPECT_NE(execution.reason.find("/nowhere/mine.so"), std::string::npos) << execution.reason;
}

TEST(ExecuteNeeds, TouchNoDriverForACaseWithoutADevice) {
  Bench bench([](Context&) {});
  bench.which.needs.devices = 0;
  EXPECT_EQ(bench.execute().status, Status::completed);
  EXPECT_TRUE(bench.is_untouched());
}

TEST(ExecuteNeeds, AreAnErrorWhenTheDriverFails) {
  Bench bench([](Context&) { FAIL() << "the case ran"; });
  const auto broken = fault::inject(sim::make_driver({.profile = sim::profile("small")}),
                                    {{{.operation = fault::Operation::initialize,
                                       .effect = fault::Effect::fail,
                                       .status = device::Status::insufficient_driver}}});
  Context::Setup setup = bench.setup();
  setup.driver = broken.get();
  const Execution execution = execute(std::move(setup));
  EXPECT_EQ(execution.status, Status::error);
  EXPECT_NE(execution.reason.find("driver version is insufficient"), std::string::npos) << execution.reason;
}

TEST(ExecuteNeeds, AreUnmetWhenTheDriverFindsNoDevice) {
  Bench bench([](Context&) { FAIL() << "the case ran"; });
  const auto none =
      fault::inject(sim::make_driver({.profile = sim::profile("small")}), {{{.operation = fault::Operation::initialize,
                                                                             .effect = fault::Effect::fail,
                                                                             .status = device::Status::no_device}}});
  Context::Setup setup = bench.setup();
  setup.driver = none.get();
  const Execution execution = execute(std::move(setup));
  EXPECT_EQ(execution.status, Status::skipped);
  EXPECT_EQ(execution.reason, "needs 1 device, 0 are there");
}

TEST(ExecuteChild, ReturnsTheChildsCode) {
  Bench bench;
  EXPECT_EQ(execute_child(bench.setup(), {"child", [](Context& context) { return int(context.seed()); }}), 7);
}

TEST(ExecuteChild, IsNotHeldToNeedsOrRules) {
  Bench bench;
  bench.which.needs.devices = 5;
  EXPECT_EQ(execute_child(bench.setup(), {"child",
                                          [](Context& context) {
                                            poison(context);
                                            return 3;
                                          }}),
            3);
}

TEST(ExecuteChild, PrintsAnExceptionAndReturnsOne) {
  Bench bench;
  testing::internal::CaptureStderr();
  const int code = execute_child(bench.setup(), {"child", [](Context&) -> int { throw Error("it broke"); }});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "child \"child\" of case test.made_up: it broke\n");
  EXPECT_EQ(code, 1);
}

TEST(ExecuteChild, CannotStartChildrenOfItsOwn) {
  Bench bench;
  bench.which.children = {{"child", [](Context& context) {
                             static_cast<void>(context.run_child("child", std::chrono::milliseconds(1)));
                             return 0;
                           }}};
  testing::internal::CaptureStderr();
  EXPECT_EQ(execute_child(bench.setup(), bench.which.children[0]), 1);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("children cannot be started here"), std::string::npos);
}

}  // namespace
}  // namespace gpucheck::harness
