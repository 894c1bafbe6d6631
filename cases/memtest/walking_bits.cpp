#include "cases/memtest/support.hpp"

namespace gpucheck::cases::in_memtest::walking_bits {
namespace {

using device::kernels::TurningWord;

void run(harness::Context& context) {
  std::vector<TurningWord> patterns;
  for (std::uint32_t turn = 0; turn < 64; ++turn) patterns.push_back({.word = 1, .turn = turn});
  test_by_inversions(context, patterns);
}

}  // namespace

harness::Case define() {
  harness::Case test_case = memory_case(
      "memtest.walking_bits", "A single one, then a single zero, stands at each of the 64 places of every word in turn",
      "cuda_memtest test 0, which does so at some addresses");
  test_case.run = run;
  return test_case;
}

}  // namespace gpucheck::cases::in_memtest::walking_bits
