#include "observe/gpu_trace.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"
#include "runtime/memory/buffer.hpp"
#include "runtime/memory/transfer.hpp"
#include "runtime/streams/event.hpp"
#include "simulated.hpp"

namespace gpucheck::observe::test {
namespace {

std::uintptr_t address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

TEST(GpuTrace, CallsBackInTheOrderOfRegistration) {
  Simulated machine;
  GpuTrace trace(machine.runtime);
  std::vector<std::pair<std::string, std::uintptr_t>> calls;
  trace.memory_allocation().add([&](std::uintptr_t address) { calls.emplace_back("first", address); });
  trace.memory_allocation().add([&](std::uintptr_t address) { calls.emplace_back("second", address); });
  trace.memory_deallocation().add([&](std::uintptr_t address) { calls.emplace_back("freed", address); });
  trace.activate();
  void* block = machine.allocator.allocate(1000, machine.stream);
  const std::uintptr_t address = address_of(block);
  machine.allocator.free(block);
  EXPECT_EQ(calls, (decltype(calls){{"first", address}, {"second", address}, {"freed", address}}));
}

TEST(GpuTrace, FiresNothingBeforeItIsActivatedNorAfterItsEnd) {
  Simulated machine;
  int calls = 0;
  {
    GpuTrace trace(machine.runtime);
    trace.memory_allocation().add([&](std::uintptr_t) { ++calls; });
    machine.allocator.free(machine.allocator.allocate(1000, machine.stream));
    EXPECT_EQ(calls, 0);
    trace.activate();
    machine.allocator.free(machine.allocator.allocate(1000, machine.stream));
  }
  machine.allocator.free(machine.allocator.allocate(1000, machine.stream));
  EXPECT_EQ(calls, 1);
}

TEST(GpuTrace, WhatACallbackThrowsIsAWarning) {
  Simulated machine;
  GpuTrace trace(machine.runtime);
  int calls = 0;
  trace.memory_deallocation().add([](std::uintptr_t) { throw std::runtime_error("no room in the log"); });
  trace.memory_deallocation().add([&](std::uintptr_t) { ++calls; });
  trace.activate();
  machine.allocator.free(machine.allocator.allocate(1000, machine.stream));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(machine.runtime.warnings(),
            std::vector<std::string>{"Exception in callback for CUDA memory deallocation registered with gpu trace: "
                                     "no room in the log"});
}

using Calls = std::vector<std::string>;

/// Notes every event by name, with the handles in hexadecimal.
void note_all(GpuTrace& trace, Calls& calls) {
  const auto noted = [&calls](std::string name) {
    return [&calls, name](auto... handle) {
      std::string text = name;
      ((text += fmt::format(" {:x}", handle.value)), ...);
      calls.push_back(text);
    };
  };
  trace.event_creation().add(noted("event_creation"));
  trace.event_deletion().add(noted("event_deletion"));
  trace.event_record().add(noted("event_record"));
  trace.event_wait().add(noted("event_wait"));
  trace.device_synchronization().add(noted("device_synchronization"));
  trace.stream_synchronization().add(noted("stream_synchronization"));
  trace.event_synchronization().add(noted("event_synchronization"));
}

class GpuTraceOfStreams : public testing::Test {
 protected:
  Simulated machine;
  runtime::Stream stream = runtime::Stream::from_pool(machine.runtime);
  GpuTrace trace{machine.runtime};
  Calls calls;
};

TEST_F(GpuTraceOfStreams, EventsFromTheFirstRecordToTheEnd) {
  note_all(trace, calls);
  trace.activate();
  std::string event;
  {
    runtime::Event made;
    made.wait(stream);
    made.synchronize();
    EXPECT_EQ(calls, Calls{});
    made.record(stream);
    made.record(stream);
    event = fmt::format("{:x}", made.raw().value);
    static_cast<void>(made.query());
    made.wait(runtime::Stream::default_of(machine.runtime));
    made.synchronize();
  }
  const std::string handle = fmt::format("{:x}", stream.raw().value);
  EXPECT_EQ(calls, (Calls{"event_creation " + event, "event_record " + event + " " + handle,
                          "event_record " + event + " " + handle, "event_wait " + event + " 0",
                          "event_synchronization " + event, "event_deletion " + event}));
}

TEST_F(GpuTraceOfStreams, AStreamThatWaitsForAnother) {
  note_all(trace, calls);
  trace.activate();
  stream.wait_stream(runtime::Stream::default_of(machine.runtime));
  ASSERT_EQ(calls.size(), 4U);
  EXPECT_TRUE(calls[0].starts_with("event_creation"));
  EXPECT_TRUE(calls[1].starts_with("event_record") && calls[1].ends_with(" 0"));
  EXPECT_TRUE(calls[2].starts_with("event_wait") && calls[2].ends_with(fmt::format(" {:x}", stream.raw().value)));
  EXPECT_TRUE(calls[3].starts_with("event_deletion"));
}

TEST_F(GpuTraceOfStreams, WhatTheHostWaitsFor) {
  note_all(trace, calls);
  trace.activate();
  machine.runtime.synchronize();
  stream.synchronize();
  const runtime::Buffer<int> source(machine.runtime, 4, stream.raw());
  static_cast<void>(runtime::to_host(machine.runtime, source.data(), 4, runtime::Transfer::blocking, machine.stream));
  static_cast<void>(
      runtime::to_host(machine.runtime, source.data(), 4, runtime::Transfer::non_blocking, machine.stream));
  EXPECT_EQ(calls, (Calls{"device_synchronization", fmt::format("stream_synchronization {:x}", stream.raw().value),
                          "stream_synchronization 0"}));
}

TEST_F(GpuTraceOfStreams, AHookIsCalledBeforeTheHostWaits) {
  ASSERT_EQ(device::launch(*machine.device, device::kernels::Spin{50'000'000}, 1, stream.raw()),
            device::Status::success);
  runtime::Event event;
  event.record(stream);
  std::vector<bool> done;
  const auto look = [&](auto...) { done.push_back(event.query()); };
  trace.event_synchronization().add(look);
  trace.stream_synchronization().add(look);
  trace.device_synchronization().add(look);
  trace.activate();
  event.synchronize();
  ASSERT_EQ(device::launch(*machine.device, device::kernels::Spin{50'000'000}, 1, stream.raw()),
            device::Status::success);
  event.record(stream);
  stream.synchronize();
  ASSERT_EQ(device::launch(*machine.device, device::kernels::Spin{50'000'000}, 1, stream.raw()),
            device::Status::success);
  event.record(stream);
  machine.runtime.synchronize();
  EXPECT_EQ(done, (std::vector<bool>{false, false, false}));
}

TEST_F(GpuTraceOfStreams, WhatTheAllocatorDoesForItselfFiresNothing) {
  note_all(trace, calls);
  trace.activate();
  {
    runtime::Buffer<int> block(machine.runtime, 4, machine.stream);
    block.record_stream(stream.raw());
  }
  machine.allocator.empty_cache();
  EXPECT_EQ(calls, Calls{});
}

TEST(GpuTrace, EveryStreamOfThePoolIsCreatedAtTheFirstRequest) {
  Simulated machine;
  GpuTrace trace(machine.runtime);
  std::vector<device::Stream> created;
  trace.stream_creation().add([&](device::Stream stream) {
    created.push_back(stream);
    static_cast<void>(machine.runtime.streams().next());  // a hook may ask for a stream
  });
  trace.activate();
  const device::Stream first = machine.runtime.streams().next();
  ASSERT_EQ(created.size(), 32U * 4U);
  // The first of each level, then the second: as PyTorch 2.11 on an H200 was seen to do.
  for (std::size_t i = 0; i < created.size(); ++i) {
    const std::size_t id = i / 4 << 5U | (i % 4 + 1) << 1U | 1U;
    EXPECT_EQ(machine.runtime.streams().stream_id(created[i]), static_cast<std::int64_t>(id));
  }
  EXPECT_EQ(first, created.front());
  static_cast<void>(machine.runtime.streams().next(-1));
  EXPECT_EQ(created.size(), 32U * 4U);
}

TEST(GpuTrace, WithoutTheCachingAllocatorTellsOfAllButMemory) {
  Simulated machine;
  runtime::AllocatorChoice choice;
  choice.kind = runtime::AllocatorChoice::Kind::async;
  runtime::Runtime runtime(*machine.device, choice);
  GpuTrace trace(runtime);
  int allocations = 0;
  int waits = 0;
  trace.memory_allocation().add([&](std::uintptr_t) { ++allocations; });
  trace.device_synchronization().add([&] { ++waits; });
  trace.activate();
  static_cast<void>(runtime::Buffer<int>(runtime, 4, machine.stream));
  runtime.synchronize();
  EXPECT_EQ(allocations, 0);
  EXPECT_EQ(waits, 1);
}

TEST(CallbackRegistry, FitsEventsWithSeveralArguments) {
  std::vector<std::string> warnings;
  CallbackRegistry<std::uintptr_t, std::uintptr_t> event_record(
      "CUDA event record", [&](std::string text) { warnings.push_back(std::move(text)); });
  std::uintptr_t sum = 0;
  event_record.add([&](std::uintptr_t event, std::uintptr_t stream) { sum += event + stream; });
  event_record.fire(3, 4);
  EXPECT_EQ(sum, 7U);
  EXPECT_TRUE(warnings.empty());
}

}  // namespace
}  // namespace gpucheck::observe::test
