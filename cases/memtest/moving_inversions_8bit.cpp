#include "cases/memtest/support.hpp"

namespace gpucheck::cases::in_memtest::moving_inversions_8bit {
namespace {

using device::kernels::RepeatedWord;

void run(harness::Context& context) {
  constexpr std::uint64_t lowest_bits = 0x0101010101010101;
  std::vector<RepeatedWord> patterns;
  for (unsigned bit = 0; bit < 8; ++bit) patterns.push_back({lowest_bits << bit});
  test_by_inversions(context, patterns);
}

}  // namespace

harness::Case define() {
  harness::Case test_case = memory_case("memtest.moving_inversions_8bit",
                                        "Moving inversions with one of the eight bits of each byte, in turn",
                                        "cuda_memtest test 3, which has one of the eight");
  test_case.run = run;
  return test_case;
}

}  // namespace gpucheck::cases::in_memtest::moving_inversions_8bit
