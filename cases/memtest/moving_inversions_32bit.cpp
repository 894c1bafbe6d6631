#include "cases/memtest/support.hpp"

namespace gpucheck::cases::in_memtest::moving_inversions_32bit {
namespace {

using device::kernels::TurningHalfWord;

void run(harness::Context& context) {
  std::vector<TurningHalfWord> patterns;
  for (std::uint32_t turn = 0; turn < 32; ++turn) patterns.push_back({.word = 1, .turn = turn});
  test_by_inversions(context, patterns);
}

}  // namespace

harness::Case define() {
  harness::Case test_case =
      memory_case("memtest.moving_inversions_32bit",
                  "Moving inversions with one bit of each 32, at another place in each word", "cuda_memtest test 6");
  test_case.run = run;
  return test_case;
}

}  // namespace gpucheck::cases::in_memtest::moving_inversions_32bit
