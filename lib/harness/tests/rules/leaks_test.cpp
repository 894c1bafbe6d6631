#include "harness/tests/fixture.hpp"
#include "runtime/allocator/storage.hpp"
#include "runtime/memory/buffer.hpp"
#include "runtime/memory/pinned_buffer.hpp"

// The class-wide rules about memory and handles: whatever a case leaves behind is seen.
namespace gpucheck::harness {
namespace {

using device::CaptureMode;
using Mismatches = std::vector<Mismatch>;
using Keys = std::vector<std::string>;
using Status = Execution::Status;

TEST(Rules, SeeABlockThatTheAllocatorStillLends) {
  EXPECT_EQ(broken_by([](Context& context) {
              static_cast<void>(context.runtime().allocator().allocate(4096, context.device().default_stream()));
            }),
            Keys{"rule.allocator_memory_freed"});
}

TEST(Rules, SeeABlockThatThePinnedAllocatorStillLends) {
  EXPECT_EQ(broken_by([](Context& context) {
              static_cast<void>(context.runtime().pinned_allocator().allocate(4096, context.device().default_stream()));
            }),
            Keys{"rule.pinned_blocks_freed"});
}

TEST(Rules, SeeAnOwnerWhoseBlockWasFreedBySomebodyElse) {
  EXPECT_EQ(broken_by([](Context& context) {
              runtime::Runtime& runtime = context.runtime();
              const runtime::Storage storage(runtime.allocator(), 512, runtime.current_stream());
              runtime.allocator().free(storage.data());
            }),
            Keys{"rule.frees_accepted"});
  EXPECT_EQ(broken_by([](Context& context) {
              runtime::Runtime& runtime = context.runtime();
              const runtime::PinnedBuffer<float> buffer(runtime, 1);
              runtime.pinned_allocator().free(const_cast<void*>(buffer.context()));
            }),
            Keys{"rule.frees_accepted"});
}

TEST(Rules, ForgiveFreesOfADeviceThatIsLost) {
  Fixture fixture([](Context& context) {
    runtime::Runtime& runtime = context.runtime();
    runtime::Buffer<std::int32_t> buffer(runtime, 1, runtime.current_stream());
    buffer.record_stream(runtime.streams().next());  // freeing it takes an event
    poison(context);
  });
  EXPECT_EQ(keys(fixture.execute().broken_rules), Keys{"rule.no_sticky_error"});
}

TEST(Rules, SeeDeviceMemoryLeaked) {
  EXPECT_EQ(broken_by([](Context& context) { static_cast<void>(context.device().allocate(4096)); }),
            Keys{"rule.device_memory_freed"});
  EXPECT_EQ(broken_by([](Context& context) { static_cast<void>(context.device().allocate_async(4096, {})); }),
            Keys{"rule.device_memory_freed"});
}

TEST(Rules, CountALeakInBytes) {
  Fixture fixture([](Context& context) {
    static_cast<void>(context.device().allocate(4096));
    static_cast<void>(context.device().allocate(100));
  });
  const Execution execution = fixture.execute();
  ASSERT_EQ(execution.broken_rules.size(), 1U);
  EXPECT_EQ(execution.broken_rules[0].seen, "4196 bytes in 2 allocations");
}

/// Reserves addresses and maps memory behind them; what is undone of it is a parameter.
void map_memory(Context& context, bool unmap) {
  device::Device& device = context.device();
  void* const addresses = device.reserve_addresses(2 * device::mapping_granularity).value();
  device::check(device.map_memory(addresses, device::mapping_granularity), "map_memory");
  if (!unmap) return;
  device::check(device.unmap_memory(addresses, device::mapping_granularity), "unmap_memory");
  device::check(device.release_addresses(addresses, 2 * device::mapping_granularity), "release_addresses");
}

TEST(Rules, SeeMappedMemoryLeaked) {
  EXPECT_EQ(broken_by([](Context& context) { map_memory(context, false); }), Keys{"rule.device_memory_freed"});
  EXPECT_EQ(broken_by([](Context& context) { map_memory(context, true); }), Keys{});
}

TEST(Rules, SeePinnedMemoryLeaked) {
  EXPECT_EQ(broken_by([](Context& context) { static_cast<void>(context.device().allocate_pinned(4096)); }),
            Keys{"rule.pinned_memory_freed"});
}

TEST(Rules, SeeHostMemoryLeftRegistered) {
  EXPECT_EQ(broken_by([](Context& context) {
              static std::vector<float> memory(1024);
              static_cast<void>(context.device().register_host(memory.data(), 4096));
            }),
            Keys{"rule.host_memory_unregistered"});
}

/// One handle of each kind, as `left` says not destroyed.
void leave_handles(device::Device& device, const device::LiveHandles& left) {
  auto stream = device::own<device::UniqueStream>(device, device.create_stream(device::StreamKind::non_blocking, 0));
  auto event = device::own<device::UniqueEvent>(device, device.create_event(device::EventKind::no_timing));
  device::check(device.begin_capture(stream.get(), CaptureMode::global), "begin_capture");
  auto graph = device::own<device::UniqueGraph>(device, device.end_capture(stream.get()));
  auto executable = device::own<device::UniqueGraphExec>(device, device.instantiate(graph.get()));
  auto communicator = device::own<device::UniqueCommunicator>(device, device.create_communicator({0}));
  if (left.streams != 0) static_cast<void>(stream.release());
  if (left.events != 0) static_cast<void>(event.release());
  if (left.graphs != 0) static_cast<void>(graph.release());
  if (left.executables != 0) static_cast<void>(executable.release());
  if (left.communicators != 0) static_cast<void>(communicator.release());
}

/// What the rule about handles says once `run` is done, under a plan if there is one.
std::string handles_left(void (*run)(Context&), const fault::Plan& plan = {}) {
  Fixture fixture(run);
  const auto faulty = fault::inject(sim::make_driver({.profile = sim::profile("small")}), plan);
  Context::Setup setup = fixture.setup();
  if (!plan.empty()) setup.driver = faulty.get();
  const Execution execution = execute(std::move(setup));
  if (execution.broken_rules.empty()) return "";
  EXPECT_EQ(keys(execution.broken_rules), Keys{"rule.handles_destroyed"});
  return execution.broken_rules[0].seen;
}

TEST(Rules, SeeEachKindOfHandleLeft) {
  EXPECT_EQ(handles_left([](Context& context) { leave_handles(context.device(), {}); }), "");
  EXPECT_EQ(handles_left([](Context& context) { leave_handles(context.device(), {.streams = 1}); }), "1 stream left");
  EXPECT_EQ(handles_left([](Context& context) { leave_handles(context.device(), {.events = 1}); }), "1 event left");
  EXPECT_EQ(handles_left([](Context& context) { leave_handles(context.device(), {.graphs = 1}); }), "1 graph left");
  EXPECT_EQ(handles_left([](Context& context) { leave_handles(context.device(), {.executables = 1}); }),
            "1 executable graph left");
  EXPECT_EQ(handles_left([](Context& context) { leave_handles(context.device(), {.communicators = 1}); }),
            "1 communicator left");
  EXPECT_EQ(handles_left([](Context& context) {
              leave_handles(context.device(), {.streams = 1, .events = 1});
              leave_handles(context.device(), {.events = 1});
            }),
            "1 stream, 2 events left");
}

TEST(Rules, SeeEachKindOfHandleThatTheDeviceKept) {
  const auto tidy = [](Context& context) { leave_handles(context.device(), {}); };
  const auto dropped = [&](fault::Operation operation) {
    return handles_left(tidy, {{{operation, fault::Effect::drop}}});
  };
  EXPECT_EQ(handles_left(tidy, {{{fault::Operation::destroy_stream, fault::Effect::drop, 99}}}), "");
  EXPECT_EQ(dropped(fault::Operation::destroy_stream), "1 stream left");
  EXPECT_EQ(dropped(fault::Operation::destroy_event), "1 event left");
  EXPECT_EQ(dropped(fault::Operation::destroy_graph), "1 graph left");
  EXPECT_EQ(dropped(fault::Operation::destroy_executable), "1 executable graph left");
  EXPECT_EQ(dropped(fault::Operation::destroy_communicator), "1 communicator left");
}

TEST(Rules, BlameNoCaseForHandlesLeftBeforeIt) {
  const auto faulty = fault::inject(sim::make_driver({.profile = sim::profile("small")}),
                                    {{{fault::Operation::destroy_event, fault::Effect::drop}}});
  Fixture fixture([](Context& context) { leave_handles(context.device(), {}); });
  for (const Keys& expected : {Keys{"rule.handles_destroyed"}, Keys{}}) {
    Context::Setup setup = fixture.setup();
    setup.driver = faulty.get();
    EXPECT_EQ(keys(execute(std::move(setup)).broken_rules), expected);
  }
}

TEST(Rules, SeeTheRuntimesOwnHandles) {
  const auto use_streams = [](Context& context) { static_cast<void>(context.runtime().streams().next()); };
  EXPECT_EQ(handles_left(use_streams), "");
  EXPECT_EQ(handles_left(use_streams, {{{fault::Operation::destroy_stream, fault::Effect::drop}}}), "1 stream left");
}

TEST(Rules, SeeAFreeThatFailed) {
  Fixture fixture([](Context& context) {
    void* memory = context.device().allocate(4096).value();
    static_cast<void>(context.device().free(memory));
  });
  const auto faulty = fault::inject(sim::make_driver({.profile = sim::profile("small")}),
                                    {{{fault::Operation::free, fault::Effect::fail}}});
  Context::Setup setup = fixture.setup();
  setup.driver = faulty.get();
  EXPECT_EQ(keys(execute(std::move(setup)).broken_rules), Keys{"rule.device_memory_freed"});
}

TEST(Rules, LeaveAGraphItsMemory) {
  EXPECT_EQ(broken_by([](Context& context) {
              device::Device& device = context.device();
              const auto stream =
                  device::own<device::UniqueStream>(device, device.create_stream(device::StreamKind::non_blocking, 0));
              device::check(device.begin_capture(stream.get(), CaptureMode::global), "begin_capture");
              static_cast<void>(device.allocate_async(4096, stream.get()));
              static_cast<void>(device::own<device::UniqueGraph>(device, device.end_capture(stream.get())));
            }),
            Keys{});
}

/// What a case breaks that frees one block of an allocator library.
Mismatches broken_with_library(const char* library, void (*run)(Context&)) {
  Fixture fixture(run);
  fixture.allocator = {.kind = runtime::AllocatorChoice::Kind::library, .library = library};
  const Execution execution = fixture.execute();
  EXPECT_EQ(execution.status, Status::completed) << execution.reason;
  return execution.broken_rules;
}

void free_one_block(Context& context) {
  runtime::DeviceAllocator& allocator = context.runtime().allocator();
  allocator.free(allocator.allocate(4096, context.device().default_stream()));
}

TEST(Rules, SeeThatALibraryFreedWhatItHadNot) {
  const Mismatches broken = broken_with_library(GPUCHECK_DOUBLY_FREEING_ALLOCATOR, free_one_block);
  ASSERT_EQ(keys(broken), Keys{"rule.library_frees_its_own"});
  EXPECT_EQ(broken[0].seen, "1 frees were rejected by the device");
}

TEST(Rules, LeaveALibraryWhatItKeeps) {
  EXPECT_EQ(keys(broken_with_library(GPUCHECK_LEAKING_ALLOCATOR, free_one_block)), Keys{});
  EXPECT_EQ(keys(broken_with_library(GPUCHECK_LEAKING_ALLOCATOR,
                                     [](Context& context) {
                                       free_one_block(context);
                                       static_cast<void>(context.device().allocate_pinned(64));
                                     })),
            Keys{"rule.pinned_memory_freed"});
}

}  // namespace
}  // namespace gpucheck::harness
