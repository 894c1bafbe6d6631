#include "observe/gpu_trace.hpp"

#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

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
