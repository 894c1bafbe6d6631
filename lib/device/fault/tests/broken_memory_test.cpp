#include "device/fault/broken_memory.hpp"

#include "base/text/units.hpp"
#include "device/fault/tests/faulty.hpp"

// Memory that is broken where it is allocated, and delays.
namespace gpucheck::fault {
namespace {

using namespace literals;
using device::CaptureMode;
using device::CopyKind;
namespace kernels = device::kernels;

constexpr std::uint8_t bit = 0x40;

Plan broken_at(Effect effect, Place place) {
  return {{{.operation = Operation::allocate, .effect = effect, .place = place}}};
}
constexpr Place from_start(std::uint64_t offset) { return {.from = Place::From::start, .offset = offset}; }
constexpr Place from_end(std::uint64_t offset) { return {.from = Place::From::end, .offset = offset}; }

/// `memory_bytes` bytes of which one is another.
std::vector<std::uint8_t> all_but(std::size_t place, std::uint8_t value, std::uint8_t other) {
  std::vector<std::uint8_t> bytes(memory_bytes, value);
  bytes.at(place) = other;
  return bytes;
}

TEST(ByteAt, CountsFromEitherEndWith64Bits) {
  auto* const start = reinterpret_cast<std::uint8_t*>(std::uintptr_t{1} << 40);
  const Written written{.address = start, .bytes = 5_GiB};
  EXPECT_EQ(byte_at(written, from_start(0)), start);
  EXPECT_EQ(byte_at(written, from_start(4_GiB + 1)), start + 4_GiB + 1);
  EXPECT_EQ(byte_at(written, from_start(5_GiB - 1)), start + (5_GiB - 1));
  EXPECT_EQ(byte_at(written, from_start(5_GiB)), nullptr);
  EXPECT_EQ(byte_at(written, from_end(0)), start + (5_GiB - 1));
  EXPECT_EQ(byte_at(written, from_end(5_GiB - 1)), start);
  EXPECT_EQ(byte_at(written, from_end(5_GiB)), nullptr);
  EXPECT_EQ(byte_at(written, {}), start + (5_GiB / 2 | 3U));
  EXPECT_EQ(byte_at({.address = start, .bytes = 2}, {}), start + 1);
  EXPECT_EQ(byte_at({.address = start, .bytes = 0}, {}), nullptr);
  EXPECT_EQ(byte_at({.address = start, .bytes = 0}, from_end(0)), nullptr);
}

TEST(ByteAt, CountsWhatWasWrittenAndNotTheGaps) {
  auto* const start = reinterpret_cast<std::uint8_t*>(std::uintptr_t{1} << 40);
  Written written{.address = start, .bytes = 4};
  written.repetitions = {3, {device::Repetition{2, 100}, device::Repetition{5, 0}, device::Repetition{3, 10}}};
  EXPECT_EQ(byte_at(written, from_start(3)), start + 3);
  EXPECT_EQ(byte_at(written, from_start(4)), start + 10);
  EXPECT_EQ(byte_at(written, from_start(12)), start + 100);
  EXPECT_EQ(byte_at(written, from_start(23)), start + 123);
  EXPECT_EQ(byte_at(written, from_start(24)), nullptr);
  EXPECT_EQ(byte_at(written, from_end(0)), start + 123);
  EXPECT_EQ(byte_at(written, from_end(4)), start + 113);
  EXPECT_EQ(byte_at(written, {}), start + 103) << "the last byte of the fourth number";
  written.repetitions.all[0].count = 0;
  EXPECT_EQ(byte_at(written, from_start(0)), nullptr);
}

TEST(FlipBit, HitsTheByteThatIsNamed) {
  const Plan plan{{{.operation = Operation::fill, .effect = Effect::flip_bit, .place = from_end(0)},
                   {.operation = Operation::launch_kernel, .effect = Effect::flip_bit, .place = from_start(5)}}};
  const Faulty faulty(plan);
  const auto memory = faulty.make_memory(memory_bytes);
  ASSERT_EQ(faulty.device().fill(memory.get(), 1, memory_bytes, {}), Status::success);
  EXPECT_EQ(read(faulty, memory.get(), memory_bytes), all_but(memory_bytes - 1, 1, 1 ^ bit));
  const kernels::Fill<std::uint8_t> write{static_cast<std::uint8_t*>(memory.get()), 2};
  ASSERT_EQ(device::launch(faulty.device(), write, 5, {}), Status::success);  // five bytes: waits for the next
  ASSERT_EQ(device::launch(faulty.device(), write, memory_bytes, {}), Status::success);
  EXPECT_EQ(read(faulty, memory.get(), memory_bytes), all_but(5, 2, 2 ^ bit));
}

// Also where the device's memory ends beyond 32 bits, of which nothing but a few pages is ever touched.
TEST(StickBit, HoldsTheLastByteOfMemoryBeyond4GiB) {
  auto driver = sim::make_driver({.profile = sim::profile("h100")});
  const auto faulty = inject(std::move(driver), broken_at(Effect::stick_bit, from_end(0)));
  const auto device = faulty->open(0).value();
  auto memory = device::own<device::UniqueDeviceMemory>(*device, device->allocate(5_GiB));
  auto* const end = static_cast<std::uint8_t*>(memory.get()) + 5_GiB;
  std::vector<std::uint8_t> seen(memory_bytes);
  ASSERT_EQ(device->fill(end - memory_bytes, 1, memory_bytes, {}), Status::success);
  ASSERT_EQ(device->copy(seen.data(), end - memory_bytes, memory_bytes, CopyKind::device_to_host, {}), Status::success);
  EXPECT_EQ(seen, all_but(memory_bytes - 1, 1, 1 | bit));
  ASSERT_EQ(device->fill(end - 4_GiB - memory_bytes, 1, memory_bytes, {}), Status::success);
  ASSERT_EQ(device->copy(seen.data(), end - 4_GiB - memory_bytes, memory_bytes, CopyKind::device_to_host, {}),
            Status::success);
  EXPECT_EQ(seen, std::vector<std::uint8_t>(memory_bytes, 1));
}

TEST(StickBit, HoldsWhateverIsWrittenAndHowever) {
  const Faulty faulty(broken_at(Effect::stick_bit, from_start(7)));
  device::Device& device = faulty.device();
  EXPECT_EQ(device.allocate(0).value(), nullptr);  // no byte to break
  const auto small = faulty.make_memory(7);        // nor the eighth
  const auto memory = faulty.make_memory(memory_bytes);
  const auto sound = faulty.make_memory(memory_bytes);
  auto* const bytes = static_cast<std::uint8_t*>(memory.get());
  for (const int written : {0x00, 0xBF, 0xFF}) {
    const auto value = static_cast<std::uint8_t>(written);
    ASSERT_EQ(device.fill(bytes, value, memory_bytes, {}), Status::success);
    EXPECT_EQ(read(faulty, bytes, memory_bytes), all_but(7, value, value | bit));
  }
  ASSERT_EQ(device::launch(device, kernels::Fill<std::uint8_t>{bytes, 1}, memory_bytes, {}), Status::success);
  EXPECT_EQ(read(faulty, bytes, memory_bytes), all_but(7, 1, 1 | bit));
  ASSERT_EQ(device::launch(device, kernels::Fill<std::uint8_t>{bytes, 1}, 0, {}), Status::success);  // writes nothing
  ASSERT_EQ(device.fill(sound.get(), 2, memory_bytes, {}), Status::success);
  EXPECT_EQ(read(faulty, sound.get(), memory_bytes), std::vector<std::uint8_t>(memory_bytes, 2));
  ASSERT_EQ(device.copy(bytes, sound.get(), memory_bytes, CopyKind::device_to_device, {}), Status::success);
  EXPECT_EQ(read(faulty, bytes, memory_bytes), all_but(7, 2, 2 | bit));
  EXPECT_TRUE(faulty.simulator().races().empty());
}

TEST(StickBit, EndsWithTheMemory) {
  const Faulty faulty(broken_at(Effect::stick_bit, from_start(0)));
  device::Device& device = faulty.device();
  void* const first = device.allocate(memory_bytes).value();
  ASSERT_EQ(device.free(first), Status::success);
  const auto again = faulty.make_memory(memory_bytes);
  ASSERT_EQ(again.get(), first) << "the simulated device gives the same memory out again";
  ASSERT_EQ(device.fill(again.get(), 1, memory_bytes, {}), Status::success);
  EXPECT_EQ(read(faulty, again.get(), memory_bytes), std::vector<std::uint8_t>(memory_bytes, 1));
}

TEST(StickBit, IsRecordedInACapture) {
  const Faulty faulty(broken_at(Effect::stick_bit, from_start(0)));
  device::Device& device = faulty.device();
  const auto stream = faulty.make_stream();
  const auto memory = faulty.make_memory(memory_bytes);
  ASSERT_EQ(device.begin_capture(stream.get(), CaptureMode::global), Status::success);
  ASSERT_EQ(device.fill(memory.get(), 1, memory_bytes, stream.get()), Status::success);
  const auto graph = device::own<device::UniqueGraph>(device, device.end_capture(stream.get()));
  EXPECT_EQ(*device.node_count(graph.get()), 2U);
  const auto executable = device::own<device::UniqueGraphExec>(device, device.instantiate(graph.get()));
  ASSERT_EQ(device.launch(executable.get(), stream.get()), Status::success);
  EXPECT_EQ(read(faulty, memory.get(), memory_bytes, stream.get()), all_but(0, 1, 1 | bit));
}

/// Eight words as the device holds them.
std::vector<std::uint64_t> words(const Faulty& faulty, const void* memory, std::size_t count) {
  std::vector<std::uint64_t> host(count);
  device::check(faulty.device().copy(host.data(), memory, count * 8, CopyKind::device_to_host, {}), "copy");
  device::check(faulty.device().synchronize(), "synchronize");
  return host;
}

TEST(AliasAddressLine, MakesOneWordOfTwo) {
  const Faulty faulty({{{.operation = Operation::allocate, .effect = Effect::alias_address_line}}});
  device::Device& device = faulty.device();
  const auto one_word = faulty.make_memory(8);        // has no address line
  const auto memory = faulty.make_memory(6 * 8 + 1);  // six words, of which the line tells 0 and 1 from 4 and 5
  auto* const first = static_cast<std::int64_t*>(memory.get());
  ASSERT_EQ(device::launch(device, kernels::Iota<std::int64_t>{first, 10}, 6, {}), Status::success);
  EXPECT_EQ(words(faulty, first, 6), (std::vector<std::uint64_t>{14, 15, 12, 13, 14, 15}));
  ASSERT_EQ(device.fill(first + 1, 1, 8, {}), Status::success);  // the lower of two
  constexpr std::uint64_t ones = 0x0101010101010101;
  EXPECT_EQ(words(faulty, first, 6), (std::vector<std::uint64_t>{14, ones, 12, 13, 14, ones}));
  ASSERT_EQ(device.fill(first + 4, 1, 1, {}), Status::success);  // a byte of the higher
  EXPECT_EQ(words(faulty, first, 6), (std::vector<std::uint64_t>{1, ones, 12, 13, 1, ones}));
  ASSERT_EQ(device.fill(reinterpret_cast<std::uint8_t*>(first) + 48, 1, 1, {}), Status::success);  // no word
  EXPECT_EQ(words(faulty, first, 6), (std::vector<std::uint64_t>{1, ones, 12, 13, 1, ones}));
  EXPECT_TRUE(faulty.simulator().races().empty());
}

TEST(Delay, KeepsTheStreamBusyBeforeTheCall) {
  using namespace std::chrono_literals;
  for (const Operation operation : {Operation::copy, Operation::fill, Operation::launch_kernel}) {
    const Faulty faulty({{{.operation = operation, .effect = Effect::delay, .delay = 5ms}}});
    device::Device& device = faulty.device();
    const auto stream = faulty.make_stream();
    const auto memory = faulty.make_memory(2 * memory_bytes);
    auto* const bytes = static_cast<std::uint8_t*>(memory.get());
    const auto work = [&] {
      if (operation == Operation::fill) return device.fill(bytes, 1, memory_bytes, stream.get());
      if (operation == Operation::copy) {
        return device.copy(bytes + memory_bytes, bytes, memory_bytes, CopyKind::device_to_device, stream.get());
      }
      return device::launch(device, kernels::Fill<std::uint8_t>{bytes, 1}, memory_bytes, stream.get());
    };
    const auto start = faulty.make_event();
    const auto stop = faulty.make_event();
    const auto elapsed = [&] {
      device::check(device.record(start.get(), stream.get()), "record");
      EXPECT_EQ(work(), Status::success);
      device::check(device.record(stop.get(), stream.get()), "record");
      device::check(device.synchronize(stream.get()), "synchronize");
      return device.elapsed_ms(start.get(), stop.get()).value();
    };
    const float delayed = elapsed();
    EXPECT_GE(delayed, 5.0F) << to_text(operation);
    EXPECT_LT(delayed, 6.0F) << to_text(operation);
    EXPECT_LT(elapsed(), 1.0F) << to_text(operation) << ", once";
  }
}

}  // namespace
}  // namespace gpucheck::fault
