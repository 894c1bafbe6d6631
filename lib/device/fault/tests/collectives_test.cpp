#include <array>

#include "device/fault/common_plans.hpp"
#include "device/fault/tests/faulty.hpp"

// What faults do to collectives: of the memory that the device itself receives in.
namespace gpucheck::fault {
namespace {

constexpr std::size_t elements = 8;

/// A communicator of one device, which sends ones to itself.
struct Alone {
  explicit Alone(const Plan& plan)
      : faulty(plan), sent(faulty.make_memory(elements)), received(faulty.make_memory(elements)) {
    device::check(faulty.device().fill(sent.get(), 1, elements, {}), "fill");
    device::check(faulty.device().fill(received.get(), 0, elements, {}), "fill");
    communicator = device::UniqueCommunicator(faulty.device(), faulty.device().create_communicator({0}).value());
  }
  Status run() const {
    const std::vector<device::RankOperands> operands{{sent.get(), received.get(), {}}};
    return faulty.device().communicate(communicator.get(), {.type = device::ElementType::int8, .count = elements},
                                       operands);
  }
  [[nodiscard]] std::vector<std::uint8_t> result() const { return read(faulty, received.get(), elements); }

  Faulty faulty;
  device::UniqueDeviceMemory sent;
  device::UniqueDeviceMemory received;
  device::UniqueCommunicator communicator;
};

TEST(FaultyCollective, FlipsOneBitOfWhatIsReceived) {
  const Alone alone(broken(Operation::communicate, Effect::flip_bit, nth_call(2)));
  ASSERT_EQ(alone.run(), Status::success);
  EXPECT_EQ(alone.result(), std::vector<std::uint8_t>(elements, 1));
  ASSERT_EQ(alone.run(), Status::success);
  std::vector<std::uint8_t> flipped(elements, 1);
  flipped.back() ^= 0x40U;  // of the middle number of eight bytes, the last
  EXPECT_EQ(alone.result(), flipped);
}

TEST(FaultyCollective, IsLost) {
  const Alone alone(broken(Operation::communicate, Effect::drop, every_call));
  ASSERT_EQ(alone.run(), Status::success);
  EXPECT_EQ(alone.result(), std::vector<std::uint8_t>(elements, 0));
}

TEST(FaultyCollective, HasNoLibrary) {
  const Alone alone(broken(Operation::collective_library, Effect::wrong_answer, every_call));
  EXPECT_NE(alone.faulty.device().collective_library().value().problem, "");
}

}  // namespace
}  // namespace gpucheck::fault
