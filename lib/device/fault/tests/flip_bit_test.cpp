#include "device/fault/flip_bit.hpp"

#include <array>
#include <bit>

#include "device/fault/tests/faulty.hpp"
#include "device/tests/kernels/block_probes.hpp"

namespace gpucheck::fault {
namespace {

using device::CaptureMode;
using device::CopyKind;
namespace kernels = device::kernels;

/// Positions of the bytes that differ from `expected`, and that each does so by one bit.
std::vector<std::size_t> flipped(const std::vector<std::uint8_t>& seen, std::uint8_t expected) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (seen[i] == expected) continue;
    positions.push_back(i);
    EXPECT_EQ(std::popcount(static_cast<unsigned>(seen[i] ^ expected)), 1) << "byte " << i;
  }
  return positions;
}

/// Only the middle word may be hit.
void expect_one_flip(const std::vector<std::uint8_t>& seen, std::uint8_t expected) {
  const std::vector<std::size_t> positions = flipped(seen, expected);
  ASSERT_EQ(positions.size(), 1U);
  EXPECT_GE(positions[0], seen.size() / 2 - 1);
  EXPECT_LT(positions[0], seen.size() / 2 + 4);
}

TEST(FlipBit, SpoilsAFill) {
  const Faulty faulty(once(Operation::fill, Effect::flip_bit));
  const auto memory = faulty.make_memory(memory_bytes);
  ASSERT_EQ(faulty.device().fill(memory.get(), 7, memory_bytes, {}), Status::success);
  expect_one_flip(read(faulty, memory.get(), memory_bytes), 7);
  ASSERT_EQ(faulty.device().fill(memory.get(), 7, memory_bytes, {}), Status::success);
  EXPECT_TRUE(flipped(read(faulty, memory.get(), memory_bytes), 7).empty());  // once
  EXPECT_TRUE(faulty.simulator().races().empty());
}

TEST(FlipBit, SpoilsASingleByte) {
  const Faulty faulty(once(Operation::fill, Effect::flip_bit));
  const auto memory = faulty.make_memory(1);
  ASSERT_EQ(faulty.device().fill(memory.get(), 7, 1, {}), Status::success);
  EXPECT_EQ(flipped(read(faulty, memory.get(), 1), 7).size(), 1U);
}

TEST(FlipBit, SpoilsACopyToTheDevice) {
  const Faulty faulty(once(Operation::copy, Effect::flip_bit));
  const auto memory = faulty.make_memory(memory_bytes);
  const std::vector<std::uint8_t> source(memory_bytes, 9);
  ASSERT_EQ(faulty.device().copy(memory.get(), source.data(), memory_bytes, CopyKind::host_to_device, {}),
            Status::success);
  expect_one_flip(read(faulty, memory.get(), memory_bytes), 9);
}

TEST(FlipBit, SpoilsACopyToTheHost) {
  const Faulty faulty(once(Operation::copy, Effect::flip_bit));
  const auto memory = faulty.make_memory(memory_bytes);
  const auto stream = faulty.make_stream();
  ASSERT_EQ(faulty.device().fill(memory.get(), 9, memory_bytes, stream.get()), Status::success);
  expect_one_flip(read(faulty, memory.get(), memory_bytes, stream.get()), 9);
  EXPECT_TRUE(flipped(read(faulty, memory.get(), memory_bytes, stream.get()), 9).empty());
}

TEST(FlipBit, SpoilsTheFirstMemoryAKernelWrites) {
  const Faulty faulty(once(Operation::launch_kernel, Effect::flip_bit));
  const auto stream = faulty.make_stream();
  const auto memory = faulty.make_memory(memory_bytes);
  ASSERT_EQ(device::launch(faulty.device(), kernels::Spin{1}, 1, stream.get()), Status::success);  // writes nothing
  const kernels::Fill<std::uint8_t> write{static_cast<std::uint8_t*>(memory.get()), 3};
  ASSERT_EQ(device::launch(faulty.device(), write, 0, stream.get()), Status::success);  // nothing either
  ASSERT_EQ(device::launch(faulty.device(), write, memory_bytes, stream.get()), Status::success);
  expect_one_flip(read(faulty, memory.get(), memory_bytes, stream.get()), 3);
  EXPECT_TRUE(faulty.simulator().races().empty());
}

TEST(FlipBit, SpoilsWhatABlockKernelWrites) {
  const Faulty faulty(once(Operation::launch_kernel, Effect::flip_bit));
  const auto stream = faulty.make_stream();
  const auto memory = faulty.make_memory(memory_bytes);
  const kernels::RotateInBlocks rotate{static_cast<std::uint64_t*>(memory.get())};
  const device::BlockShape shape{.threads = 1, .shared_bytes = 8};
  ASSERT_EQ(device::launch(faulty.device(), rotate, 1, shape, stream.get()), Status::success);  // writes a 0
  expect_one_flip(read(faulty, memory.get(), sizeof(std::uint64_t), stream.get()), 0);
  EXPECT_TRUE(faulty.simulator().races().empty());
}

TEST(FlipBit, ComesAfterACopyThatIsNotWaitedFor) {
  const Faulty faulty(once(Operation::copy, Effect::flip_bit));
  device::Device& device = faulty.device();
  const auto stream = faulty.make_stream();
  const auto memory = faulty.make_memory(memory_bytes);
  const auto host = device::own<device::UniquePinnedMemory>(device, device.allocate_pinned(memory_bytes));
  ASSERT_EQ(device.fill(memory.get(), 9, memory_bytes, stream.get()), Status::success);
  faulty.spin(stream.get());
  ASSERT_EQ(device.copy(host.get(), memory.get(), memory_bytes, CopyKind::device_to_host, stream.get()),
            Status::success);
  ASSERT_EQ(device.synchronize(stream.get()), Status::success);
  const auto* bytes = static_cast<std::uint8_t*>(host.get());
  expect_one_flip({bytes, bytes + memory_bytes}, 9);
}

TEST(FlipBit, SparesWhatAFailedCallDidNotWrite) {
  const Faulty faulty({{{Operation::fill, Effect::flip_bit}, {Operation::copy, Effect::flip_bit}}});
  device::Device& device = faulty.device();
  const auto memory = faulty.make_memory(memory_bytes);
  std::vector<std::uint8_t> source(memory_bytes, 9);
  ASSERT_EQ(device.fill(memory.get(), 7, 1024 * memory_bytes, {}), Status::invalid_value);  // beyond its end
  ASSERT_EQ(device.copy(memory.get(), source.data(), 1024 * memory_bytes, CopyKind::host_to_device, {}),
            Status::invalid_value);
  ASSERT_EQ(device.fill(memory.get(), 7, memory_bytes, {}), Status::success);  // the first call that the rule can spoil
  std::vector<std::uint8_t> seen(memory_bytes);
  ASSERT_EQ(device.copy(seen.data(), memory.get(), memory_bytes, CopyKind::device_to_host, {}), Status::success);
  EXPECT_TRUE(flipped(seen, 7).empty()) << "both flips hit the same bit";
  expect_one_flip(read(faulty, memory.get(), memory_bytes), 7);
}

TEST(FirstWritten, IsTheFirstMemoryOfItsBytesThatALaunchChanges) {
  using device::reads;
  using device::writes;
  const std::array<std::uint8_t, 4> memory{};
  const auto written = [](std::size_t count, const std::vector<device::MemoryAccess>& accesses) {
    return first_written({.count = count, .accesses = accesses});
  };
  const std::vector<device::MemoryAccess> accesses{reads(&memory[0], 8), writes(&memory[1], 0),
                                                   device::updates(&memory[2], 16), writes(&memory[3], 32)};
  EXPECT_EQ(written(1, accesses).address, &memory[2]);
  EXPECT_EQ(written(1, accesses).bytes, 16U);
  EXPECT_EQ(written(1, {accesses.begin() + 3, accesses.end()}).bytes, 32U);
  EXPECT_EQ(written(0, accesses).bytes, 0U) << "a launch of nothing";
  EXPECT_EQ(written(1, {accesses.begin(), accesses.begin() + 2}).bytes, 0U);
  EXPECT_EQ(written(1, {}).bytes, 0U);
  const std::array<std::int64_t, 1> size{5};
  const std::array<std::int64_t, 1> stride{2};
  const Written pattern = written(1, {device::writes_strided(memory.data(), size, stride)});
  EXPECT_EQ(pattern.bytes, 1U);
  EXPECT_EQ(pattern.repetitions.all[0], (device::Repetition{5, 2}));
  EXPECT_EQ(pattern.repetitions.used, 1U);
}

TEST(FlipBit, IsRecordedInACapture) {
  const Faulty faulty({{{Operation::fill, Effect::flip_bit}, {Operation::copy, Effect::flip_bit}}});
  device::Device& device = faulty.device();
  const auto stream = faulty.make_stream();
  const auto memory = faulty.make_memory(memory_bytes);
  auto host = device::own<device::UniquePinnedMemory>(device, device.allocate_pinned(memory_bytes));
  ASSERT_EQ(device.begin_capture(stream.get(), CaptureMode::global), Status::success);
  ASSERT_EQ(device.fill(memory.get(), 7, memory_bytes, stream.get()), Status::success);
  ASSERT_EQ(device.copy(host.get(), memory.get(), memory_bytes, CopyKind::device_to_host, stream.get()),
            Status::success);
  const auto graph = device::own<device::UniqueGraph>(device, device.end_capture(stream.get()));
  EXPECT_EQ(*device.node_count(graph.get()), 4U);  // fill, flip, copy, flip
  const auto executable = device::own<device::UniqueGraphExec>(device, device.instantiate(graph.get()));
  for (int replay = 0; replay < 2; ++replay) {
    ASSERT_EQ(device.launch(executable.get(), stream.get()), Status::success);
    ASSERT_EQ(device.synchronize(stream.get()), Status::success);
    const auto* bytes = static_cast<std::uint8_t*>(host.get());
    EXPECT_TRUE(flipped({bytes, bytes + memory_bytes}, 7).empty()) << "both flips hit the same bit";
    expect_one_flip(read(faulty, memory.get(), memory_bytes, stream.get()), 7);
  }
}

}  // namespace
}  // namespace gpucheck::fault
