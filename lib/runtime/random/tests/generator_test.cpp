#include "runtime/random/generator.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "device/check.hpp"
#include "runtime/graphs/graph.hpp"
#include "runtime/random/with_state.hpp"
#include "runtime/tests/error_of.hpp"
#include "runtime/tests/simulated.hpp"

namespace gpucheck::runtime::test {
namespace {

using device::kernels::PhiloxStart;

constexpr std::string_view in_capture =
    " during CUDA graph capture. If you need this call to be captured, please file an issue. Current "
    "cudaStreamCaptureStatus: cudaStreamCaptureStatusActive";

class GeneratorTest : public testing::Test {
 protected:
  static std::string refused(std::string call) { return call.append(in_capture); }

  /// Where the next kernel that draws 4 numbers would begin; and the state goes on.
  static std::uint64_t next_offset(Generator& generator) { return generator.take(4).offset; }

  /// Keeps the seed and offset that a kernel of a graph would read, in `seen`.
  void keep(const PhiloxStart& start, Buffer<std::int64_t>& seen) {
    device::Device& device = machine.device();
    constexpr auto kind = device::CopyKind::device_to_device;
    device::check(device.copy(seen.data(), start.seed_at, sizeof(std::int64_t), kind, side), "copy");
    device::check(device.copy(seen.data() + 1, start.offset_at, sizeof(std::int64_t), kind, side), "copy");
  }
  std::vector<std::int64_t> read(const Buffer<std::int64_t>& values) {
    std::vector<std::int64_t> host(values.size());
    device::Device& device = machine.device();
    device::check(device.copy(host.data(), values.data(), values.size_bytes(), device::CopyKind::device_to_host, side),
                  "copy");
    device::check(device.synchronize(side), "synchronize");
    return host;
  }
  MemoryStatistics memory() { return runtime.allocator().stats(); }

  Simulated machine;
  Runtime& runtime = machine.runtime();
  device::Stream side = machine.side_stream();
  CurrentStreamGuard current{runtime, side};
};

// torch.Generator("cuda"): what PyTorch 2.11 said of a new one on an H100.
TEST_F(GeneratorTest, BeginsAsPyTorchs) {
  const Generator generator(runtime);
  EXPECT_EQ(generator.initial_seed(), 67280421310721U);
  EXPECT_EQ(generator.offset(), 0U);
  EXPECT_EQ(generator.state(), (Generator::StateBytes{1, 209, 156, 241, 48, 61, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST_F(GeneratorTest, StateGoesOutAndComesBack) {
  Generator generator(runtime, 5);
  generator.set_offset(0x0102030405060708);
  const Generator::StateBytes state = generator.state();
  EXPECT_EQ(state, (Generator::StateBytes{5, 0, 0, 0, 0, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1}));
  Generator other(runtime);
  other.set_state(state);
  EXPECT_EQ(other.initial_seed(), 5U);
  EXPECT_EQ(other.offset(), 0x0102030405060708U);
  other.set_state(std::span(state).first(8));
  EXPECT_EQ(other.offset(), 0U);
  EXPECT_EQ(error_of([&] { other.set_state(std::span(state).first(12)); }), "RNG state is wrong size");
}

TEST_F(GeneratorTest, KernelsTakeWholeGroupsOfFour) {
  Generator generator(runtime, 9);
  EXPECT_EQ(generator.take(1).seed, 9U);
  EXPECT_EQ(generator.take(4).offset, 4U);
  EXPECT_EQ(generator.take(10).offset, 8U);
  EXPECT_EQ(generator.offset(), 20U);
  EXPECT_EQ(error_of([&] { generator.set_offset(6); }), "offset must be a multiple of 4");
  generator.manual_seed(3);
  EXPECT_EQ(generator.offset(), 0U);
}

TEST_F(GeneratorTest, SharedStatesAreOneAndClonesAreNot) {
  Generator generator(runtime, 1);
  Generator shared = generator.graphsafe_state();
  const Generator clone = generator.clone();
  static_cast<void>(next_offset(generator));
  EXPECT_EQ(shared.offset(), 4U);
  EXPECT_EQ(clone.offset(), 0U);
  generator.graphsafe_set_state(clone);
  static_cast<void>(next_offset(generator));
  EXPECT_EQ(clone.offset(), 4U);
  EXPECT_EQ(shared.offset(), 4U);
}

TEST_F(GeneratorTest, NobodyForetellsTheSeedOfTheDefaultOne) {
  const Simulated other;
  Generator& generator = default_generator(runtime);
  EXPECT_EQ(&generator, &default_generator(runtime));
  const std::uint64_t first = generator.initial_seed();
  EXPECT_NE(generator.seed(), first);
  EXPECT_NE(generator.initial_seed(), first);
}

TEST_F(GeneratorTest, OneSeedForAllDevices) {
  Simulated other;
  static_cast<void>(next_offset(default_generator(runtime)));
  manual_seed(2);
  EXPECT_EQ(default_generator(runtime).initial_seed(), 2U);
  EXPECT_EQ(default_generator(runtime).offset(), 0U);
  EXPECT_EQ(default_generator(other.runtime()).initial_seed(), 2U);
}

TEST_F(GeneratorTest, WhatACaptureForbids) {
  Generator& generator = default_generator(runtime);
  generator.manual_seed(7);
  generator.set_offset(8);
  Generator unregistered(runtime);
  Graph other(runtime);
  Graph graph(runtime);
  graph.capture_begin();
  EXPECT_EQ(error_of([&] { generator.manual_seed(8); }),
            "CUDAGeneratorImpl::set_current_seed can be called during stream capture only if new seed is the same as "
            "the original seed.");
  EXPECT_EQ(error_of([&] { generator.manual_seed(7); }), "no error");
  EXPECT_EQ(error_of([&] { static_cast<void>(generator.offset()); }),
            refused("Cannot call CUDAGeneratorImpl::get_offset"));
  EXPECT_EQ(error_of([&] { generator.set_offset(4); }), refused("Cannot call CUDAGeneratorImpl::set_offset"));
  EXPECT_EQ(error_of([&] { generator.seed(); }), refused("Cannot call CUDAGeneratorImpl::seed"));
  EXPECT_EQ(error_of([&] { static_cast<void>(generator.clone()); }),
            refused("Cannot call CUDAGeneratorImpl::clone_impl"));
  EXPECT_EQ(error_of([&] { const Generator made(runtime); }), refused("Cannot construct a new CUDAGeneratorImpl"));
  EXPECT_EQ(error_of([&] { other.register_generator_state(generator); }),
            refused("Cannot register the state during capturing stage."));
  EXPECT_EQ(error_of([&] { static_cast<void>(next_offset(unregistered)); }),
            "Attempt to increase offset for a CUDA generator not in capture mode.");
  // cases/tests/data/isolated_pytorch_2.11_h100.json: a graph may draw more than 2^32 numbers.
  EXPECT_EQ(error_of([&] { static_cast<void>(generator.take(std::uint64_t{1} << 32U)); }), "no error");
  EXPECT_EQ(generator.initial_seed(), 7U);
  graph.capture_end();
  EXPECT_EQ(generator.offset(), 8U);
}

TEST_F(GeneratorTest, AStreamThatIsNotCapturedCannotDrawMeanwhile) {
  Generator& generator = default_generator(runtime);
  Graph graph(runtime);
  graph.capture_begin();
  {
    const CurrentStreamGuard elsewhere(runtime, machine.side_stream());
    EXPECT_EQ(error_of([&] { static_cast<void>(next_offset(generator)); }),
              "Offset increment outside graph capture encountered unexpectedly.");
  }
  graph.capture_end();
  EXPECT_EQ(error_of([&] { static_cast<void>(next_offset(generator)); }), "no error");
}

TEST_F(GeneratorTest, ACapturesOffsetIsItsOwn) {
  Generator& generator = default_generator(runtime);
  generator.manual_seed(7);
  generator.set_offset(100);
  Graph graph(runtime);
  graph.capture_begin();
  EXPECT_EQ(next_offset(generator), 0U);
  EXPECT_EQ(next_offset(generator), 4U);
  const Generator::StateBytes inside = generator.state();
  EXPECT_EQ(inside[8], 8U);
  static_cast<void>(next_offset(generator));
  generator.set_state(inside);
  EXPECT_EQ(next_offset(generator), 8U);
  graph.capture_end();
  EXPECT_EQ(generator.offset(), 100U);
}

TEST_F(GeneratorTest, WhatIsDoneAgainDrawsTheSame) {
  Generator& generator = default_generator(runtime);
  generator.manual_seed(7);
  generator.set_offset(8);
  const Generator::StateBytes state = generator.state();
  generator.set_offset(40);
  with_state(generator, state, [&] { EXPECT_EQ(next_offset(generator), 8U); });
  EXPECT_EQ(next_offset(generator), 40U);
  EXPECT_EQ(error_of([&] { with_state(generator, state, [] { throw Error("thrown"); }); }), "thrown");
  EXPECT_EQ(next_offset(generator), 44U);
  Graph graph(runtime);
  graph.capture_begin();
  const Generator::StateBytes inside = generator.state();
  static_cast<void>(next_offset(generator));
  static_cast<void>(next_offset(generator));
  with_state(generator, inside, [&] { EXPECT_EQ(next_offset(generator), 0U); });
  EXPECT_EQ(next_offset(generator), 8U);
  graph.capture_end();
  graph.replay();
  EXPECT_EQ(generator.offset(), 60U);
}

TEST_F(GeneratorTest, AReplayDrawsFromWhereTheGeneratorStands) {
  Generator& generator = default_generator(runtime);
  Buffer<std::int64_t> seen(runtime, 2, side);
  Graph graph(runtime);
  generator.manual_seed(5);
  graph.capture_begin();
  static_cast<void>(next_offset(generator));
  const PhiloxStart start = generator.take(10);
  EXPECT_EQ(start.offset, 4U);
  keep(start, seen);
  graph.capture_end();
  generator.set_offset(20);
  graph.replay();
  EXPECT_EQ(read(seen), (std::vector<std::int64_t>{5, 20}));
  EXPECT_EQ(generator.offset(), 36U);
  graph.replay();
  EXPECT_EQ(read(seen), (std::vector<std::int64_t>{5, 36}));
  generator.manual_seed(6);
  graph.replay();
  EXPECT_EQ(read(seen), (std::vector<std::int64_t>{6, 0}));
  EXPECT_TRUE(machine.driver().races().empty());
}

TEST_F(GeneratorTest, ReplaysOfTwoGraphsOfOneStateHaveToBeOrdered) {
  Buffer<std::int64_t> seen(runtime, 2, side);
  Buffer<std::int64_t> seen_by_other(runtime, 2, side);
  Graph graph(runtime);
  Graph other(runtime);
  graph.capture_begin();
  keep(default_generator(runtime).take(4), seen);
  graph.capture_end();
  other.capture_begin();
  keep(default_generator(runtime).take(4), seen_by_other);
  other.capture_end();
  graph.replay();
  other.replay();
  runtime.synchronize();
  EXPECT_TRUE(machine.driver().races().empty());
  graph.replay();
  const CurrentStreamGuard elsewhere(runtime, machine.side_stream());
  other.replay();
  runtime.synchronize();
  EXPECT_FALSE(machine.driver().races().empty()) << "both set the two numbers on the device";
}

TEST_F(GeneratorTest, AGraphThatDrawsNothingMovesNothing) {
  Generator& generator = default_generator(runtime);
  generator.manual_seed(5);
  Buffer<std::int64_t> value(runtime, 1, side);
  Graph graph(runtime);
  graph.capture_begin();
  device::check(machine.device().fill(value.data(), 0, value.size_bytes(), side), "fill");
  graph.capture_end();
  graph.replay();
  EXPECT_EQ(generator.offset(), 0U);
}

TEST_F(GeneratorTest, AGraphDrawsFromEveryStateItIsToldOf) {
  Generator& generator = default_generator(runtime);
  generator.manual_seed(5);
  Generator first = generator.graphsafe_state();
  const Generator second = generator.clone();
  Graph graph(runtime);
  graph.register_generator_state(first);
  graph.register_generator_state(second);
  graph.capture_begin();
  generator.graphsafe_set_state(second);
  static_cast<void>(next_offset(generator));
  generator.graphsafe_set_state(first);
  static_cast<void>(next_offset(generator));
  static_cast<void>(next_offset(generator));
  graph.capture_end();
  graph.replay();
  EXPECT_EQ(first.offset(), 8U);
  EXPECT_EQ(second.offset(), 4U);
}

TEST_F(GeneratorTest, AStateHasTwoNumbersOnTheDeviceWhileAnyGraphDrawsFromIt) {
  Generator& generator = default_generator(runtime);
  const auto before = memory();
  {
    Graph first(runtime);
    first.register_generator_state(generator);
    EXPECT_EQ(memory().active.all.current - before.active.all.current, 2);
    EXPECT_EQ(memory().active_bytes.all.current - before.active_bytes.all.current, 1024);
    {
      Graph second(runtime);
      second.register_generator_state(generator);
      first.register_generator_state(generator);
      EXPECT_EQ(memory().active.all.current - before.active.all.current, 2);
    }
    EXPECT_EQ(memory().active.all.current - before.active.all.current, 2);
    first.reset();
    EXPECT_EQ(memory().active.all.current - before.active.all.current, 2);
  }
  EXPECT_EQ(memory().active.all.current, before.active.all.current);
}

TEST_F(GeneratorTest, AGraphThatLeavesTheDefaultOneOutCannotDrawFromIt) {
  Generator& generator = default_generator(runtime);
  const auto before = memory();
  Graph graph(runtime, {.registers_default_generator = false});
  graph.capture_begin();
  EXPECT_EQ(error_of([&] { static_cast<void>(next_offset(generator)); }),
            "Attempt to increase offset for a CUDA generator not in capture mode.");
  graph.capture_end();
  EXPECT_EQ(memory().active.all.current, before.active.all.current);
}

TEST_F(GeneratorTest, ABrokenCaptureLeavesTheGeneratorUsable) {
  Generator& generator = default_generator(runtime);
  generator.manual_seed(5);
  Graph graph(runtime);
  graph.capture_begin();
  static_cast<void>(next_offset(generator));
  static_cast<void>(machine.device().synchronize(side));  // breaks the capture
  EXPECT_THROW(graph.capture_end(), device::DeviceError);
  EXPECT_EQ(next_offset(generator), 0U);
}

}  // namespace
}  // namespace gpucheck::runtime::test
