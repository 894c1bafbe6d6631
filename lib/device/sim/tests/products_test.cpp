#include <array>

#include "device/owned.hpp"
#include "device/sim/reference/reference_product.hpp"
#include "device/sim/tests/dot_product.hpp"
#include "device/sim/tests/fixture.hpp"

// What the simulated device's library adds to the contract: how exact its sums are, what they cost,
// and what the race detector knows of them.
namespace gpucheck::sim {
namespace {

using device::ComputeType;
using device::ElementType;
using device::MatrixProduct;
using device::ProductOperands;

TEST(ReferenceProduct, OfTf32RoundsOperandsTo11Bits) {
  const MatrixProduct product = dot_product(ElementType::fp32, ComputeType::tf32, 1);
  const float one = 1;
  for (const auto& [operand, expected] : {std::pair{1 + 0x1p-10F, 1 + 0x1p-10F},
                                          {1 + 0x1p-12F, 1.0F},
                                          {1 + 0x1p-11F + 0x1p-20F, 1 + 0x1p-10F},
                                          {1 + 0x1p-11F, 1.0F}}) {
    float d = 0;
    multiply_on_host(product, {}, {.a = &operand, .b = &one, .d = &d});
    EXPECT_EQ(d, expected) << operand;
  }
}

TEST(ReferenceProduct, OfFp32KeepsAllBits) {
  const MatrixProduct product = dot_product(ElementType::fp32, ComputeType::fp32, 2);
  const std::array a{1.0F, 0x1p-23F};
  const std::array b{1.0F, 1.0F};
  float d = 0;
  multiply_on_host(product, {}, {.a = a.data(), .b = b.data(), .d = &d});
  EXPECT_EQ(d, 1 + 0x1p-23F);
}

/// The sum of products 64 * 64 and 1 * 1, `ones` of those: as fp8 has them.
float sum_in_fp8(std::size_t large, std::size_t ones) {
  constexpr std::uint8_t one = 0x38;
  constexpr std::uint8_t sixty_four = 0x68;
  std::vector<std::uint8_t> numbers(large, sixty_four);
  numbers.insert(numbers.end(), ones, one);
  MatrixProduct product =
      dot_product(ElementType::fp8_e4m3, ComputeType::fp32, static_cast<std::int64_t>(numbers.size()));
  product.d = ElementType::fp32;
  float d = 0;
  multiply_on_host(product, {}, {.a = numbers.data(), .b = numbers.data(), .d = &d});
  return d;
}

TEST(ReferenceProduct, OfFp8KeepsFourteenBitsOfSums) {
  EXPECT_EQ(sum_in_fp8(3, 1), 12289.0F);  // below 2^14
  EXPECT_EQ(sum_in_fp8(4, 0), 16384.0F);
  EXPECT_EQ(sum_in_fp8(4, 1), 16384.0F);   // 16385 has 15 bits
  EXPECT_EQ(sum_in_fp8(4, 10), 16384.0F);  // lost one by one
}

TEST(ReferenceProduct, SumsInTwoHalvesWhereThereIsRoom) {
  const MatrixProduct product = dot_product(ElementType::fp32, ComputeType::fp32, 4);
  const std::array a{0x1p24F, 0.0F, 1.0F, 1.0F};
  const std::array b{1.0F, 1.0F, 1.0F, 1.0F};
  const auto sum = [&](std::uint64_t room) {
    float d = 0;
    float half = 0;
    const device::ProductAlgorithm algorithm = choose_reference_algorithm(product, room);
    multiply_on_host(product, algorithm, {.a = a.data(), .b = b.data(), .d = &d, .workspace = &half});
    return std::pair(d, algorithm.workspace_bytes);
  };
  EXPECT_EQ(sum(0), std::pair(0x1p24F, std::uint64_t{0}));      // each 1 is lost
  EXPECT_EQ(sum(4), std::pair(0x1p24F + 2, std::uint64_t{4}));  // 2^24, and 1 + 1
}

class SimulatedProducts : public testing::Test {
 protected:
  static constexpr std::int64_t size = 64;
  static constexpr std::size_t matrix_bytes = 64 * 64 * 4;

  SimulatedProducts() {
    for (auto& memory : memory_)
      memory = device::own<device::UniqueDeviceMemory>(device(), device().allocate(matrix_bytes));
    for (auto& memory : memory_) check(device().fill(memory.get(), 0, matrix_bytes, {}));
    check(device().synchronize());
  }

  device::Device& device() { return *device_; }
  static void check(device::Status status) { device::check(status, "call"); }
  device::UniqueStream make_stream() {
    return device::own<device::UniqueStream>(device(), device().create_stream(device::StreamKind::non_blocking, 0));
  }
  [[nodiscard]] std::byte* memory(std::size_t index) const { return static_cast<std::byte*>(memory_[index].get()); }

  static MatrixProduct product() {
    return {.m = size,
            .n = size,
            .k = size,
            .leading_a = size,
            .leading_b = size,
            .leading_d = size,
            .a = ElementType::fp32,
            .b = ElementType::fp32,
            .d = ElementType::fp32,
            .compute = ComputeType::fp32};
  }
  void multiply(std::size_t d, device::Stream stream) {
    const device::ProductAlgorithm algorithm = device().choose_algorithm(product(), matrix_bytes).value();
    const ProductOperands operands{
        .a = memory(0), .b = memory(1), .d = memory(d), .workspace = memory(2), .workspace_bytes = matrix_bytes};
    check(device().multiply(product(), algorithm, operands, stream));
  }
  std::vector<device::Race> races() {
    check(device().synchronize());
    return driver_->races();
  }

  /// So slow that a product takes longer than its memory traffic (250 ns at 200 bytes each).
  static constexpr std::uint64_t flops_per_ns = 100;
  static Profile slow_profile() {
    Profile slow = profile("small");
    slow.product_flops_per_ns.fp32 = flops_per_ns;
    return slow;
  }

  std::unique_ptr<Driver> driver_ = make_driver({.profile = slow_profile()});
  std::unique_ptr<device::Device> device_ = driver_->open(0).value();
  std::array<device::UniqueDeviceMemory, 5> memory_;
};

TEST_F(SimulatedProducts, MayShareWhatTheyRead) {
  const auto first = make_stream();
  const auto second = make_stream();
  const device::ProductAlgorithm algorithm = device().choose_algorithm(product(), 0).value();
  check(device().multiply(product(), algorithm, {.a = memory(0), .b = memory(1), .d = memory(3)}, first.get()));
  check(device().multiply(product(), algorithm, {.a = memory(0), .b = memory(1), .d = memory(4)}, second.get()));
  EXPECT_TRUE(races().empty());
}

TEST_F(SimulatedProducts, RaceForAWorkspace) {
  const auto first = make_stream();
  const auto second = make_stream();
  multiply(3, first.get());
  multiply(4, second.get());
  const std::vector<device::Race> found = races();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].earlier, "matrix_product");
  EXPECT_EQ(found[0].address, memory(2));
}

TEST_F(SimulatedProducts, RaceWithWhoeverWritesAnOperand) {
  const auto first = make_stream();
  const auto second = make_stream();
  multiply(3, first.get());
  check(device().fill(memory(1), 1, 16, second.get()));
  const std::vector<device::Race> found = races();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].address, memory(1));
}

TEST_F(SimulatedProducts, OfMemoryThatIsNotThereSpoilTheDevice) {
  const device::ProductAlgorithm algorithm = device().choose_algorithm(product(), 0).value();
  std::byte* const beyond = memory(4) + (std::size_t{1} << 30);
  check(device().multiply(product(), algorithm, {.a = memory(0), .b = memory(1), .d = beyond}, {}));
  EXPECT_EQ(device().synchronize(), device::Status::illegal_address);
}

// Beside what every operation takes, and at most an eighth more: fp32 products have 2,000
// operations in a nanosecond there.
TEST_F(SimulatedProducts, TakeAsLongAsTheProfileSays) {
  const auto timing = device::EventKind::timing;
  const auto start = device::own<device::UniqueEvent>(device(), device().create_event(timing));
  const auto stop = device::own<device::UniqueEvent>(device(), device().create_event(timing));
  const auto stream = make_stream();
  constexpr int times = 100;
  check(device::launch(device(), device::kernels::Spin{1'000'000}, 1, stream.get()));
  check(device().record(start.get(), stream.get()));
  for (int i = 0; i < times; ++i) multiply(3, stream.get());
  check(device().record(stop.get(), stream.get()));
  check(device().synchronize(stream.get()));
  const double milliseconds = device().elapsed_ms(start.get(), stop.get()).value();
  const double one_ns = 800 + 2.0 * size * size * size / flops_per_ns;
  EXPECT_GE(milliseconds, times * one_ns / 1e6);
  EXPECT_LE(milliseconds, times * one_ns * 1.13 / 1e6);
}

TEST(ProductRates, HangOnTheTypes) {
  const ProductRates rates{.fp64 = 1, .fp32 = 2, .tf32 = 3, .two_bytes = 4, .one_byte = 5};
  EXPECT_EQ(rates.of({.a = ElementType::fp64, .compute = ComputeType::fp64}), 1U);
  EXPECT_EQ(rates.of({.a = ElementType::fp32, .compute = ComputeType::fp32}), 2U);
  EXPECT_EQ(rates.of({.a = ElementType::fp32, .compute = ComputeType::tf32}), 3U);
  EXPECT_EQ(rates.of({.a = ElementType::bf16, .compute = ComputeType::fp32}), 4U);
  EXPECT_EQ(rates.of({.a = ElementType::fp8_e5m2, .compute = ComputeType::fp32}), 5U);
  EXPECT_EQ(rates.of({.a = ElementType::int8, .compute = ComputeType::int32}), 5U);
}

}  // namespace
}  // namespace gpucheck::sim
