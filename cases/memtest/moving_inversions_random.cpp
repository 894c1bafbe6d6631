#include "cases/memtest/support.hpp"

namespace gpucheck::cases::in_memtest::moving_inversions_random {
namespace {

using device::kernels::RepeatedWord;

void run(harness::Context& context) {
  std::vector<RepeatedWord> patterns;
  for (std::uint64_t n = 0; n < 8; ++n) patterns.push_back({random_word(context, n)});
  test_by_inversions(context, patterns);
}

}  // namespace

harness::Case define() {
  harness::Case test_case = memory_case("memtest.moving_inversions_random", "Moving inversions with eight random words",
                                        "cuda_memtest test 4");
  test_case.run = run;
  return test_case;
}

}  // namespace gpucheck::cases::in_memtest::moving_inversions_random
