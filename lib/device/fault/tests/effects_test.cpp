#include <csignal>
#include <sys/time.h>

#include "device/fault/tests/faulty.hpp"
#include "device/tests/kernels/block_probes.hpp"

// Effects that only some operations take.
namespace gpucheck::fault {
namespace {

using device::CaptureMode;
using device::CopyKind;
using device::Stream;
namespace kernels = device::kernels;

TEST(RunNow, RunsABlockKernelThatIsBeingCaptured) {
  const Faulty faulty(once(Operation::launch_kernel, Effect::run_now));
  device::Device& device = faulty.device();
  const auto stream = faulty.make_stream();
  const auto memory = faulty.make_memory(memory_bytes);
  ASSERT_EQ(device.fill(memory.get(), 9, memory_bytes, stream.get()), Status::success);
  ASSERT_EQ(device.begin_capture(stream.get(), CaptureMode::global), Status::success);
  const kernels::RotateInBlocks rotate{static_cast<std::uint64_t*>(memory.get())};
  ASSERT_EQ(device::launch(device, rotate, 8, {.threads = 1, .shared_bytes = 8}, stream.get()), Status::success);
  const auto graph = device::own<device::UniqueGraph>(device, device.end_capture(stream.get()));
  const std::vector<std::uint8_t> seen = read(faulty, memory.get(), memory_bytes, stream.get());
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(seen[i * 8], i);  // though no graph was launched
}

TEST(Alias, GivesOutMemoryThatIsHeld) {
  const Faulty faulty(once(Operation::allocate, Effect::alias));
  device::Device& device = faulty.device();
  void* first = device.allocate(1024).value();   // nothing to share yet: passes
  void* larger = device.allocate(4096).value();  // nothing as large: passes
  void* shared = device.allocate(2048).value();
  void* own = device.allocate(512).value();  // only once
  EXPECT_NE(first, larger);
  EXPECT_EQ(shared, larger);
  EXPECT_NE(own, first);
  EXPECT_NE(own, larger);
  for (void* pointer : {first, shared, own}) EXPECT_EQ(device.free(pointer), Status::success);
  ASSERT_EQ(device.fill(larger, 1, 4096, {}), Status::success);  // still held once
  ASSERT_EQ(device.synchronize(), Status::success);
  EXPECT_EQ(device.free(larger), Status::success);
  EXPECT_EQ(device.free(larger), Status::invalid_value);
  EXPECT_EQ(faulty.simulator().live_bytes(), 0U);
}

TEST(Misalign, MovesMemoryThatIsUsableAndGoesWhole) {
  const Faulty faulty(once(Operation::allocate, Effect::misalign));
  device::Device& device = faulty.device();
  void* const pointer = device.allocate(1000).value();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pointer) % 256, 64U);
  EXPECT_EQ(device.fill(pointer, 7, 1000, {}), Status::success);
  EXPECT_EQ(device.synchronize(), Status::success);
  EXPECT_EQ(device.free(pointer), Status::success);
  EXPECT_EQ(faulty.simulator().live_bytes(), 0U);
  EXPECT_EQ(device.free(pointer), Status::invalid_value);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(device.allocate(1000).value()) % 256, 0U) << "once";
}

TEST(Alias, SharesWhatIsExactlyAsLarge) {
  const Faulty faulty(Plan{{{.operation = Operation::allocate, .effect = Effect::alias, .times = 0}}});
  device::Device& device = faulty.device();
  void* first = device.allocate(1024).value();
  void* shared = device.allocate(1024).value();
  void* larger = device.allocate(1025).value();
  EXPECT_EQ(shared, first);
  EXPECT_NE(larger, first) << "it would not fit";
  EXPECT_EQ(device.allocate(0).value(), nullptr) << "nothing is nobody's";
  for (void* pointer : {first, shared, larger}) EXPECT_EQ(device.free(pointer), Status::success);
  EXPECT_EQ(faulty.simulator().live_bytes(), 0U);
}

TEST(Alias, SharesNothingThatWasFreed) {
  const Faulty faulty(Plan{{{.operation = Operation::allocate, .effect = Effect::alias, .times = 0}}});
  device::Device& device = faulty.device();
  void* first = device.allocate(1024).value();
  ASSERT_EQ(device.free(first), Status::success);
  const std::uint64_t calls = faulty.calls();
  void* second = device.allocate(1024).value();
  EXPECT_EQ(faulty.calls(), calls + 1);
  EXPECT_EQ(device.free(second), Status::success);
}

TEST(DropFree, LeaksTheMemory) {
  const Faulty faulty(once(Operation::free, Effect::drop));
  const std::uint64_t before = faulty.simulator().live_bytes();
  void* memory = faulty.device().allocate(4096).value();
  EXPECT_EQ(faulty.device().free(memory), Status::success);
  EXPECT_GE(faulty.simulator().live_bytes(), before + 4096);
}

TEST(RunNow, RunsWhatIsBeingRecorded) {
  const Faulty faulty(once(Operation::launch_kernel, Effect::run_now));
  device::Device& device = faulty.device();
  const auto stream = faulty.make_stream();
  const auto memory = faulty.make_memory(sizeof(std::uint64_t));
  auto* counter = static_cast<std::uint64_t*>(memory.get());
  ASSERT_EQ(device.fill(counter, 0, sizeof(*counter), {}), Status::success);
  ASSERT_EQ(device.synchronize(), Status::success);
  const kernels::Count count{counter, 1};
  ASSERT_EQ(device::launch(device, count, 1, stream.get()), Status::success);  // not captured: passes, runs once
  ASSERT_EQ(device.synchronize(), Status::success);

  ASSERT_EQ(device.begin_capture(stream.get(), CaptureMode::global), Status::success);
  ASSERT_EQ(device::launch(device, count, 1, stream.get()), Status::success);  // recorded, and run
  ASSERT_EQ(device::launch(device, count, 1, stream.get()), Status::success);  // recorded only
  const auto graph = device::own<device::UniqueGraph>(device, device.end_capture(stream.get()));
  EXPECT_EQ(*device.node_count(graph.get()), 2U);

  const auto counted = [&] {
    const std::vector<std::uint8_t> bytes = read(faulty, counter, sizeof(*counter));
    return int{bytes[0]};
  };
  EXPECT_EQ(counted(), 2);
  const auto executable = device::own<device::UniqueGraphExec>(device, device.instantiate(graph.get()));
  ASSERT_EQ(device.launch(executable.get(), stream.get()), Status::success);
  ASSERT_EQ(device.synchronize(), Status::success);
  EXPECT_EQ(counted(), 4);
  EXPECT_TRUE(faulty.simulator().races().empty());  // it was waited for
}

TEST(DropRecord, LeavesTheEventNeverRecorded) {
  const Faulty faulty(once(Operation::record, Effect::drop));
  const auto stream = faulty.make_stream();
  const auto event = faulty.make_event();
  faulty.spin(stream.get());
  ASSERT_EQ(faulty.device().record(event.get(), stream.get()), Status::success);
  EXPECT_EQ(faulty.device().query(event.get()), Status::success);  // as CUDA has it for such an event
  EXPECT_EQ(faulty.device().query(stream.get()), Status::not_ready);
}

TEST(DropWait, LeavesStreamsUnordered) {
  for (const bool dropped : {true, false}) {
    const Faulty faulty(dropped ? once(Operation::wait, Effect::drop) : Plan{});
    device::Device& device = faulty.device();
    const auto memory = faulty.make_memory(memory_bytes);
    const auto first = faulty.make_stream();
    const auto second = faulty.make_stream();
    const auto event = faulty.make_event();
    ASSERT_EQ(device.fill(memory.get(), 1, memory_bytes, first.get()), Status::success);
    ASSERT_EQ(device.record(event.get(), first.get()), Status::success);
    ASSERT_EQ(device.wait(second.get(), event.get()), Status::success);
    ASSERT_EQ(device.fill(memory.get(), 2, memory_bytes, second.get()), Status::success);
    ASSERT_EQ(device.synchronize(), Status::success);
    EXPECT_EQ(faulty.driver().races().empty(), !dropped);
  }
}

TEST(DropDestroy, LeavesTheHandleOnTheDevice) {
  const auto live_after = [](const Plan& plan) {
    const Faulty faulty(plan);
    device::Device& device = faulty.device();
    {
      const auto stream = faulty.make_stream();
      const auto event = faulty.make_event();
      device::check(device.begin_capture(stream.get(), device::CaptureMode::global), "begin_capture");
      const auto graph = device::own<device::UniqueGraph>(device, device.end_capture(stream.get()));
      const auto executable = device::own<device::UniqueGraphExec>(device, device.instantiate(graph.get()));
      const auto communicator = device::own<device::UniqueCommunicator>(device, device.create_communicator({0}));
      EXPECT_EQ(faulty.driver().live_handles(),
                (device::LiveHandles{.streams = 1, .events = 1, .graphs = 1, .executables = 1, .communicators = 1}));
    }
    return faulty.driver().live_handles();
  };
  using device::LiveHandles;
  EXPECT_EQ(live_after(once(Operation::free, Effect::drop)), LiveHandles{});
  EXPECT_EQ(live_after(once(Operation::destroy_stream, Effect::drop)), LiveHandles{.streams = 1});
  EXPECT_EQ(live_after(once(Operation::destroy_event, Effect::drop)), LiveHandles{.events = 1});
  EXPECT_EQ(live_after(once(Operation::destroy_graph, Effect::drop)), LiveHandles{.graphs = 1});
  EXPECT_EQ(live_after(once(Operation::destroy_executable, Effect::drop)), LiveHandles{.executables = 1});
  EXPECT_EQ(live_after(once(Operation::destroy_communicator, Effect::drop)), LiveHandles{.communicators = 1});
  EXPECT_EQ(live_after(once(Operation::destroy_event, Effect::fail)), LiveHandles{.events = 1});
}

TEST(LiveHandles, AreNotKnownWhereNobodyCounts) {
  EXPECT_EQ(sim::make_driver({.profile = sim::profile("small")})->live_handles(), std::nullopt);
}

/// Leaves a sticky error: a device-side assert that does not hold.
void poison(const Faulty& faulty) {
  const auto memory = faulty.make_memory(sizeof(std::int32_t)).release();
  device::check(faulty.device().fill(memory, 1, sizeof(std::int32_t), {}), "fill");
  const kernels::RequireBelow require{static_cast<const std::int32_t*>(memory), 0};
  device::check(device::launch(faulty.device(), require, 1, {}), "launch");
}

TEST(HideStickyErrors, LetsNoStatusShowThem) {
  const Faulty faulty(once(Operation::launch_kernel, Effect::hide_sticky_errors));
  poison(faulty);
  EXPECT_EQ(faulty.device().synchronize(), Status::success);
  EXPECT_EQ(faulty.device().synchronize(Stream{}), Status::success);
  EXPECT_EQ(faulty.device().last_error(), Status::success);
  EXPECT_EQ(faulty.device().fill(nullptr, 0, 1, {}), Status::success);
  EXPECT_EQ(status_of(faulty.device().allocate(64)), Status::assertion);  // has no value to give
}

TEST(HideStickyErrors, ShowsEveryOtherError) {
  const Faulty faulty(once(Operation::free, Effect::hide_sticky_errors));
  int on_the_stack = 0;
  EXPECT_EQ(faulty.device().free(&on_the_stack), Status::invalid_value);
}

TEST(ReportSuccess, SwallowsAStickyErrorWhereItIsAskedFor) {
  const Faulty faulty({{{.operation = Operation::synchronize, .effect = Effect::report_success, .times = 0}}});
  poison(faulty);
  EXPECT_EQ(faulty.device().synchronize(), Status::success);
  EXPECT_EQ(faulty.device().last_error(), Status::assertion);
}

TEST(Initialize, CountsTheDevicesAtOnce) {
  const auto lazy = inject(sim::make_driver({.profile = sim::profile("small")}), {});
  EXPECT_EQ(status_of(lazy->device_count_without_initialising()), Status::initialization_error);
  const auto eager =
      inject(sim::make_driver({.profile = sim::profile("small")}), once(Operation::initialize, Effect::eager));
  EXPECT_EQ(status_of(eager->device_count_without_initialising()), Status::success);
}

TEST(Initialize, LeavesUnknownWhatTheDevicesAre) {
  const auto driver =
      inject(sim::make_driver({.profile = sim::profile("small")}), once(Operation::initialize, Effect::wrong_answer));
  EXPECT_EQ(driver->properties(0).value().name, "");
  EXPECT_NE(driver->open(0).value()->properties().name, "");
  EXPECT_EQ(inject(sim::make_driver({.profile = sim::profile("small")}), {})->properties(0).value().name,
            sim::profile("small").properties.name);
}

TEST(Initialize, Fails) {
  Plan plan = once(Operation::initialize, Effect::fail);
  plan.rules[0].status = Status::devices_unavailable;
  const auto driver = inject(sim::make_driver({.profile = sim::profile("small")}), plan);
  EXPECT_EQ(status_of(driver->device_count()), Status::devices_unavailable);
  EXPECT_EQ(status_of(driver->open(0)), Status::devices_unavailable);
  EXPECT_EQ(status_of(driver->properties(0)), Status::devices_unavailable);
}

void hang_in_a_call() {
  const Faulty faulty(once(Operation::synchronize, Effect::hang));
  const itimerval soon{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_usec = 200'000}};
  ::setitimer(ITIMER_REAL, &soon, nullptr);
  static_cast<void>(faulty.device().synchronize());
}

void die_in_a_call() {
  const Faulty faulty(once(Operation::copy, Effect::kill_process));
  char byte = 0;
  static_cast<void>(faulty.device().copy(&byte, &byte, 1, CopyKind::host_to_host, {}));
}

class ProcessEffect : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(ProcessEffect, Hangs) { EXPECT_EXIT(hang_in_a_call(), testing::KilledBySignal(SIGALRM), ""); }

TEST_F(ProcessEffect, KillsTheProcess) {
  EXPECT_EXIT(die_in_a_call(), testing::KilledBySignal(SIGKILL), "");
  EXPECT_EXIT(static_cast<void>(inject(nullptr, once(Operation::initialize, Effect::kill_process))),
              testing::KilledBySignal(SIGKILL), "");
}

}  // namespace
}  // namespace gpucheck::fault
