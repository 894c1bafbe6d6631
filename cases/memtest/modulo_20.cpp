#include "cases/memtest/support.hpp"

namespace gpucheck::cases::in_memtest::modulo_20 {
namespace {

using device::kernels::EveryTwentiethWord;

void run(harness::Context& context) {
  const std::uint64_t word = random_word(context, 0);
  std::vector<EveryTwentiethWord> patterns;
  for (std::uint32_t place = 0; place < 20; ++place) patterns.push_back({word, place});
  test_by_inversions(context, patterns);
}

}  // namespace

harness::Case define() {
  harness::Case test_case = memory_case(
      "memtest.modulo_20", "A random word in each twentieth place and its complement in all others: both are verified",
      "cuda_memtest test 8, which verifies the former");
  test_case.run = run;
  test_case.faults = memory_and_address_faults();
  return test_case;
}

}  // namespace gpucheck::cases::in_memtest::modulo_20
