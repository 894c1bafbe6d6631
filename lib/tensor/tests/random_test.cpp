#include "tensor/random.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <vector>

#include "device/check.hpp"
#include "runtime/tests/simulated.hpp"

namespace gpucheck::tensor::test {
namespace {

using runtime::test::Simulated;

std::vector<float> drawn(std::size_t count, ops::PhiloxState random, std::size_t shown) {
  Simulated machine;
  const Buffer<float> values = ops::rand(machine.runtime(), count, random, machine.default_stream());
  std::vector<float> host(shown);
  device::Device& device = machine.device();
  device::check(device.copy(host.data(), values.data(), shown * sizeof(float), device::CopyKind::device_to_host,
                            machine.default_stream()),
                "copy");
  device::check(device.synchronize(), "synchronize");
  return host;
}

// PyTorch 2.11 on an H100: the first of torch.rand(n) after manual_seed, and of the second call.
TEST(Rand, DrawsPyTorchsNumbers) {
  const std::vector<float> first{0.39904648065567017F, 0.5166791677474976F, 0.024930385872721672F, 0.940079391002655F};
  EXPECT_EQ(drawn(4, {.seed = 0}, 4), first);
  EXPECT_EQ(drawn(1'000'000, {.seed = 0}, 4), first);
  EXPECT_EQ(drawn(4, {.seed = 0, .offset = 4}, 2), (std::vector{0.972241222858429F, 0.7909693121910095F}));
  EXPECT_EQ(drawn(4, {.seed = 1099511627783}, 2), (std::vector{0.2030009627342224F, 0.44149500131607056F}));
}

// The first call drew 5,000,011 numbers: 5 times 4 words in each sequence.
TEST(Rand, ALongDrawTakesSeveralTurnsOfEachSequence) {
  EXPECT_EQ(drawn(5'000'011, {.seed = 0, .offset = 20}, 2), (std::vector{0.45032620429992676F, 0.8434804081916809F}));
}

TEST(Rand, NoNumbersNeedNoMemory) {
  Simulated machine;
  EXPECT_EQ(ops::rand(machine.runtime(), 0, {}, machine.default_stream()).data(), nullptr);
}

}  // namespace
}  // namespace gpucheck::tensor::test
