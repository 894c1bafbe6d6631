#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "device/fault/broken_memory.hpp"
#include "device/fault/common_plans.hpp"
#include "device/fault/spoil_product.hpp"
#include "device/fault/tests/faulty.hpp"
#include "device/forwarding/forwarding_device.hpp"
#include "device/kernels/broken_memory.hpp"

// Where effects begin and end: to the byte, to the element, to the call.
namespace gpucheck::fault {
namespace {

using device::CopyKind;
using device::kernels::AliasAddressLine;
using device::kernels::StickBit;

/// Keeps what is launched, and runs none of it.
class KeptLaunches final : public device::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  using ForwardingDevice::launch;
  Status launch(const device::KernelLaunch& launch, device::Stream) override {
    const auto* const functor = static_cast<const std::byte*>(launch.functor);
    functors.emplace_back(functor, functor + launch.kernel->functor_bytes);
    counts.push_back(launch.count);
    return functors.size() == fails_at ? Status::launch_failure : Status::success;
  }
  template <typename Functor>
  [[nodiscard]] Functor last() const {
    Functor functor{};
    std::memcpy(&functor, functors.back().data(), sizeof(functor));
    return functor;
  }

  std::vector<std::vector<std::byte>> functors;
  std::vector<std::size_t> counts;
  std::size_t fails_at = 0;
};

class BrokenMemoryEdges : public testing::Test {
 protected:
  /// How many kernels a write of that part of the memory takes; places may lie before its begin.
  std::size_t launches_for(std::ptrdiff_t begin, std::size_t bytes, const device::Repetitions& repetitions = {}) {
    const std::size_t before = device.functors.size();
    const Written written{.address = start + begin, .bytes = bytes, .repetitions = repetitions};
    EXPECT_EQ(broken.after_write(device, written, {}), Status::success);
    return device.functors.size() - before;
  }

  std::unique_ptr<sim::Driver> driver = sim::make_driver({.profile = sim::profile("small")});
  KeptLaunches device{driver->open(0).value()};
  BrokenMemory broken;
  std::array<std::uint64_t, 64> storage{};
  std::uint8_t* start = reinterpret_cast<std::uint8_t*>(storage.data() + 16);
};

// 64 bytes of which the 33rd is stuck.
TEST_F(BrokenMemoryEdges, ABitSticksWhenItsByteIsWritten) {
  broken.stick_bit({.address = start, .bytes = 64}, start + 32);
  EXPECT_EQ(launches_for(0, 64), 1U);
  EXPECT_EQ(device.last<StickBit>().byte, start + 32);
  EXPECT_EQ(device.last<StickBit>().mask, 0x40);
  EXPECT_EQ(device.counts.back(), 1U);
  EXPECT_EQ(launches_for(32, 1), 1U);
  EXPECT_EQ(launches_for(0, 33), 1U);
  EXPECT_EQ(launches_for(0, 32), 0U);
  EXPECT_EQ(launches_for(33, 31), 0U);
  EXPECT_EQ(launches_for(-16, 16), 0U) << "ends where the memory begins";
  EXPECT_EQ(launches_for(-16, 48), 0U);
  EXPECT_EQ(launches_for(-16, 49), 1U);
  EXPECT_EQ(launches_for(-16, 400), 1U);
  EXPECT_EQ(launches_for(64, 8), 0U) << "begins where the memory ends";
  EXPECT_EQ(launches_for(32, 0), 0U);
}

// Runs of four bytes, ten apart.
TEST_F(BrokenMemoryEdges, ABitSticksWhenARunWritesItsByteAndNotInTheGaps) {
  broken.stick_bit({.address = start, .bytes = 64}, start + 33);
  EXPECT_EQ(launches_for(0, 4, {1, {device::Repetition{4, 10}}}), 1U);
  EXPECT_EQ(device.last<StickBit>().byte, start + 33);
  EXPECT_EQ(launches_for(0, 4, {1, {device::Repetition{3, 10}}}), 0U);
  EXPECT_EQ(launches_for(4, 4, {1, {device::Repetition{6, 10}}}), 0U);
}

// The gaps count as written, up to the last run's end.
TEST_F(BrokenMemoryEdges, AnAddressLineMeetsAllWordsOfAPattern) {
  broken.alias_address_line({.address = start, .bytes = 64});
  EXPECT_EQ(launches_for(8, 4, {1, {device::Repetition{3, 16}}}), 1U);
  EXPECT_EQ(device.last<AliasAddressLine>().first, 1U);
  EXPECT_EQ(device.counts.back(), 5U);
}

struct LineCase {
  std::uint64_t bytes;
  std::uint64_t words;
  std::uint64_t line;
};

// Six words and a byte: the line that tells most apart is the bit of 4. Powers of two have the bit of their half.
TEST_F(BrokenMemoryEdges, AnAddressLineIsTheHighestThatThereIs) {
  for (const LineCase& row :
       {LineCase{49, 6, 4}, LineCase{64, 8, 4}, LineCase{72, 9, 8}, LineCase{32, 4, 2}, LineCase{16, 2, 1}}) {
    SCOPED_TRACE(row.bytes);
    const Written memory{.address = start, .bytes = row.bytes};
    broken.forget(start);
    broken.alias_address_line(memory);
    EXPECT_EQ(launches_for(0, row.bytes), 1U);
    EXPECT_EQ(device.last<AliasAddressLine>().words, reinterpret_cast<std::uint64_t*>(start));
    EXPECT_EQ(device.last<AliasAddressLine>().count, row.words);
    EXPECT_EQ(device.last<AliasAddressLine>().line, row.line);
    EXPECT_EQ(device.last<AliasAddressLine>().first, 0U);
    EXPECT_EQ(device.counts.back(), row.words);
  }
  EXPECT_FALSE(BrokenMemory::has_address_line({.address = start, .bytes = 15}));
  EXPECT_TRUE(BrokenMemory::has_address_line({.address = start, .bytes = 16}));
}

// Every word that has one of the bytes, of six; what lies behind them is none.
TEST_F(BrokenMemoryEdges, WordsAreWrittenByAnyOfTheirBytes) {
  broken.alias_address_line({.address = start, .bytes = 49});
  const auto written = [&](std::ptrdiff_t begin, std::size_t bytes) {
    EXPECT_EQ(launches_for(begin, bytes), 1U);
    return std::pair(device.last<AliasAddressLine>().first, device.counts.back());
  };
  using Words = std::pair<std::uint64_t, std::size_t>;
  EXPECT_EQ(written(0, 1), Words(0, 1));
  EXPECT_EQ(written(0, 8), Words(0, 1));
  EXPECT_EQ(written(0, 9), Words(0, 2));
  EXPECT_EQ(written(7, 2), Words(0, 2));
  EXPECT_EQ(written(8, 8), Words(1, 1));
  EXPECT_EQ(written(47, 100), Words(5, 1));
  EXPECT_EQ(written(-8, 9), Words(0, 1));
  EXPECT_EQ(launches_for(48, 1), 0U);
  EXPECT_EQ(launches_for(-8, 8), 0U);
}

// Two defects of one memory: the first that fails is the answer.
TEST_F(BrokenMemoryEdges, AFailureIsTheAnswer) {
  broken.stick_bit({.address = start, .bytes = 64}, start);
  broken.stick_bit({.address = start, .bytes = 64}, start + 1);
  EXPECT_EQ(launches_for(0, 64), 2U);
  device.fails_at = 3;
  EXPECT_EQ(broken.after_write(device, {.address = start, .bytes = 64}, {}), Status::launch_failure);
  EXPECT_EQ(device.functors.size(), 3U);
  const std::array accesses{device::reads(start, 64), device::writes(start + 64, 8), device::writes(start, 1)};
  const auto with_accesses = [&](std::size_t count) {
    device::KernelLaunch launch{};
    launch.count = count;
    launch.accesses = accesses;
    return launch;
  };
  device.fails_at = 4;
  EXPECT_EQ(broken.after_launch(device, with_accesses(1), {}), Status::launch_failure);
  device.fails_at = 0;
  EXPECT_EQ(broken.after_launch(device, with_accesses(1), {}), Status::success);
  EXPECT_EQ(device.functors.size(), 5U) << "what was read, and what lies beside, is as it was";
  EXPECT_EQ(broken.after_launch(device, with_accesses(0), {}), Status::success);
  EXPECT_EQ(device.functors.size(), 5U);
}

TEST(FaultEdges, ADelayedCallIsMadeAllTheSame) {
  const Faulty faulty(
      {{{.operation = Operation::fill, .effect = Effect::delay, .delay = std::chrono::milliseconds(1)}}});
  const auto memory = faulty.make_memory(memory_bytes);
  ASSERT_EQ(faulty.device().fill(memory.get(), 5, memory_bytes, {}), Status::success);
  EXPECT_EQ(read(faulty, memory.get(), memory_bytes), std::vector<std::uint8_t>(memory_bytes, 5));
}

TEST(FaultEdges, MisalignedMemoryCanRunOutToo) {
  const Faulty faulty(once(Operation::allocate, Effect::misalign));
  EXPECT_EQ(status_of(faulty.device().allocate(std::size_t{1} << 50U)), Status::out_of_memory);
}

// In host memory at once, after a wait; in the device's by a kernel behind the copy, which nobody waits for.
TEST(FaultEdges, OnlyAFlipInHostMemoryWaits) {
  const Faulty faulty(broken(Operation::copy, Effect::flip_bit, every_call));
  device::Device& device = faulty.device();
  const auto stream = faulty.make_stream();
  const auto memory = faulty.make_memory(2 * memory_bytes);
  const auto host = device::own<device::UniquePinnedMemory>(device, device.allocate_pinned(2 * memory_bytes));
  auto* const on_device = static_cast<std::uint8_t*>(memory.get());
  auto* const on_host = static_cast<std::uint8_t*>(host.get());
  std::memset(on_host, 0, 2 * memory_bytes);
  struct Way {
    CopyKind kind;
    void* to;
    const void* from;
    bool waits;
  };
  for (const Way& way : {Way{CopyKind::host_to_device, on_device, on_host, false},
                         Way{CopyKind::device_to_device, on_device + memory_bytes, on_device, false},
                         Way{CopyKind::device_to_host, on_host, on_device, true},
                         Way{CopyKind::host_to_host, on_host + memory_bytes, on_host, true}}) {
    SCOPED_TRACE(static_cast<int>(way.kind));
    faulty.spin(stream.get());
    ASSERT_EQ(device.copy(way.to, way.from, memory_bytes, way.kind, stream.get()), Status::success);
    EXPECT_EQ(device.query(stream.get()), way.waits ? Status::success : Status::not_ready);
    ASSERT_EQ(device.synchronize(stream.get()), Status::success);
  }
}

TEST(FaultEdges, ACopyWithinTheHostIsFlippedThere) {
  const Faulty faulty(once(Operation::copy, Effect::flip_bit));
  std::vector<std::uint8_t> from(memory_bytes, 1);
  std::vector<std::uint8_t> to(memory_bytes, 0);
  ASSERT_EQ(faulty.device().copy(to.data(), from.data(), memory_bytes, CopyKind::host_to_host, {}), Status::success);
  from[memory_bytes / 2 | 3U] ^= 0x40U;
  EXPECT_EQ(to, from);
}

TEST(FaultEdges, AKernelOfOneInvocationCanBeFlipped) {
  const Faulty faulty(once(Operation::launch_kernel, Effect::flip_bit));
  const auto memory = faulty.make_memory(sizeof(std::uint64_t));
  ASSERT_EQ(faulty.device().fill(memory.get(), 0, sizeof(std::uint64_t), {}), Status::success);
  const device::kernels::Count count{static_cast<std::uint64_t*>(memory.get()), 1};
  ASSERT_EQ(device::launch(faulty.device(), count, 0, {}), Status::success);  // writes nothing: waits for the next
  ASSERT_EQ(device::launch(faulty.device(), count, 1, {}), Status::success);
  EXPECT_EQ(read(faulty, memory.get(), sizeof(std::uint64_t)), (std::vector<std::uint8_t>{1, 0, 0, 0, 0, 0, 0, 0x40}));
}

// However often it runs what is recorded: on one stream of its own, which is not the legacy one.
TEST(FaultEdges, RunningAtOnceTakesOneStream) {
  const Faulty faulty(broken(Operation::launch_kernel, Effect::run_now, every_call));
  device::Device& device = faulty.device();
  const auto stream = faulty.make_stream();
  const auto memory = faulty.make_memory(sizeof(std::uint64_t));
  const auto streams = [&] {
    std::uint64_t made = 0;
    for (const auto& [name, calls] : faulty.simulator().api_calls().by_name)
      made += name == "create_stream" ? calls : 0;
    return made;
  };
  const std::uint64_t before = streams();
  ASSERT_EQ(device.begin_capture(stream.get(), device::CaptureMode::global), Status::success);
  const device::kernels::Count count{static_cast<std::uint64_t*>(memory.get()), 1};
  for (int i = 0; i < 3; ++i) ASSERT_EQ(device::launch(device, count, 1, stream.get()), Status::success);
  const auto graph = device::own<device::UniqueGraph>(device, device.end_capture(stream.get()));
  EXPECT_EQ(streams(), before + 1);
}

// Nothing of a collective that failed can be flipped: the rule waits for the next, and is claimed once.
TEST(FaultEdges, ACollectiveIsFlippedOnceItSucceeds) {
  const Faulty faulty(once(Operation::communicate, Effect::flip_bit));
  device::Device& device = faulty.device();
  const auto sent = faulty.make_memory(memory_bytes);
  const auto received = faulty.make_memory(memory_bytes);
  ASSERT_EQ(device.fill(sent.get(), 0, memory_bytes, {}), Status::success);
  const auto communicator = device::own<device::UniqueCommunicator>(device, device.create_communicator({0}));
  const device::Collective collective{.type = device::ElementType::int8, .count = memory_bytes};
  EXPECT_NE(device.communicate(communicator.get(), collective, {{nullptr, received.get(), {}}}), Status::success);
  std::vector<std::uint8_t> flipped(memory_bytes, 0);
  flipped[memory_bytes / 2 | 3U] = 0x40;
  for (const auto& expected : {flipped, std::vector<std::uint8_t>(memory_bytes, 0)}) {
    ASSERT_EQ(device.communicate(communicator.get(), collective, {{sent.get(), received.get(), {}}}), Status::success);
    EXPECT_EQ(read(faulty, received.get(), memory_bytes), expected);
  }
}

// The second rank's own memory is hit where the second rank makes the call.
TEST(FaultEdges, ACollectiveIsFlippedOnTheDeviceThatMadeIt) {
  const Faulty faulty(once(Operation::communicate, Effect::flip_bit), 2);
  std::vector<device::UniqueDeviceMemory> memory;
  for (const std::size_t place : {0U, 0U, 1U, 1U}) {
    device::Device& device = faulty.device(place);
    memory.push_back(device::own<device::UniqueDeviceMemory>(device, device.allocate(memory_bytes)));
    ASSERT_EQ(device.fill(memory.back().get(), 0, memory_bytes, {}), Status::success);
    ASSERT_EQ(device.synchronize(), Status::success);
  }
  device::Device& second = faulty.device(1);
  const auto communicator = device::own<device::UniqueCommunicator>(second, second.create_communicator({0, 1}));
  const device::Collective collective{
      .kind = device::CollectiveKind::broadcast, .type = device::ElementType::int8, .count = memory_bytes};
  ASSERT_EQ(second.communicate(communicator.get(), collective,
                               {{memory[0].get(), memory[1].get(), {}}, {memory[2].get(), memory[3].get(), {}}}),
            Status::success);
  for (const std::size_t place : {0U, 1U}) {
    std::vector<std::uint8_t> seen(memory_bytes);
    device::Device& device = faulty.device(place);
    ASSERT_EQ(device.copy(seen.data(), memory[2 * place + 1].get(), memory_bytes, CopyKind::device_to_host, {}),
              Status::success);
    ASSERT_EQ(device.synchronize(), Status::success);
    EXPECT_EQ(std::ranges::count(seen, 0x40), place == 1 ? 1 : 0);
  }
}

/// D after that effect, of `m` rows and one column, ones before, with two elements behind that are none of it.
std::vector<std::uint8_t> spoilt(std::int64_t m, device::ElementType type, Effect effect) {
  const Faulty faulty({});
  const std::size_t bytes = static_cast<std::size_t>(m + 2) * element_bytes(type);
  const auto memory = faulty.make_memory(bytes);
  device::check(faulty.device().fill(memory.get(), 1, bytes, {}), "fill");
  const device::MatrixProduct product{.m = m, .n = 1, .k = 1, .leading_d = m, .d = type};
  device::check(spoil_product(faulty.device(), product, memory.get(), effect, {}), "spoil");
  return read(faulty, memory.get(), bytes);
}

// The element in the middle becomes not-a-number, and the next of the column, where there is one, infinity.
TEST(SpoiledElements, EndWithTheColumn) {
  using device::ElementType;
  using Bytes = std::vector<std::uint8_t>;
  EXPECT_EQ(spoilt(1, ElementType::fp16, Effect::not_finite), (Bytes{0xFF, 0xFF, 1, 1, 1, 1}));
  EXPECT_EQ(spoilt(2, ElementType::fp16, Effect::not_finite), (Bytes{1, 1, 0xFF, 0xFF, 1, 1, 1, 1}));
  EXPECT_EQ(spoilt(3, ElementType::fp16, Effect::not_finite), (Bytes{1, 1, 0xFF, 0xFF, 0x00, 0x7C, 1, 1, 1, 1}));
  EXPECT_EQ(spoilt(3, ElementType::bf16, Effect::not_finite), (Bytes{1, 1, 0xFF, 0xFF, 0x80, 0x7F, 1, 1, 1, 1}));
  EXPECT_EQ(spoilt(3, ElementType::fp32, Effect::not_finite),
            (Bytes{1, 1, 1, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0x80, 0x7F, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(spoilt(4, ElementType::fp16, Effect::not_finite), (Bytes{1, 1, 1, 1, 0xFF, 0xFF, 0x00, 0x7C, 1, 1, 1, 1}));
}

TEST(SpoiledElements, HaveOneBitFlipped) {
  using device::ElementType;
  using Bytes = std::vector<std::uint8_t>;
  EXPECT_EQ(spoilt(1, ElementType::int32, Effect::flip_low_bit), (Bytes{0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(spoilt(1, ElementType::int32, Effect::flip_bit), (Bytes{1, 1, 1, 0x41, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(spoilt(2, ElementType::bf16, Effect::flip_bit), (Bytes{1, 1, 1, 0x41, 1, 1, 1, 1}));
}

// Each fill of an infinity can fail; what was written before stays.
TEST(SpoiledElements, AFillThatFailsIsTheAnswer) {
  for (const std::uint64_t failing : {2U, 3U, 4U, 5U}) {
    const Faulty faulty(
        {{{.operation = Operation::fill, .effect = Effect::fail, .first = failing, .status = Status::launch_timeout}}});
    const auto memory = faulty.make_memory(memory_bytes);
    ASSERT_EQ(faulty.device().fill(memory.get(), 1, memory_bytes, {}), Status::success);
    const device::MatrixProduct product{.m = 3, .n = 1, .k = 1, .leading_d = 3, .d = device::ElementType::fp64};
    EXPECT_EQ(spoil_product(faulty.device(), product, memory.get(), Effect::not_finite, {}), Status::launch_timeout)
        << failing;
  }
}

TEST(SpoiledElements, NoEffectHasNoName) { EXPECT_EQ(to_text(static_cast<Effect>(effect_count)), "(no effect)"); }

}  // namespace
}  // namespace gpucheck::fault
