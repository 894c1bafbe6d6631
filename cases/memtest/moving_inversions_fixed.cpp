#include "cases/memtest/support.hpp"

namespace gpucheck::cases::in_memtest::moving_inversions_fixed {
namespace {

using device::kernels::RepeatedWord;

void run(harness::Context& context) { test_by_inversions<RepeatedWord>(context, {{0}, {~std::uint64_t{0}}}); }

}  // namespace

harness::Case define() {
  harness::Case test_case =
      memory_case("memtest.moving_inversions_fixed", "Moving inversions with zeros and ones", "cuda_memtest test 2");
  test_case.run = run;
  return test_case;
}

}  // namespace gpucheck::cases::in_memtest::moving_inversions_fixed
