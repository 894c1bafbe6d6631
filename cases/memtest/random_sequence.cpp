#include "cases/memtest/support.hpp"

namespace gpucheck::cases::in_memtest::random_sequence {
namespace {

using device::kernels::RandomWords;

void run(harness::Context& context) {
  std::vector<RandomWords> patterns;
  for (std::uint64_t n = 0; n < 4; ++n) patterns.push_back({device::kernels::PhiloxKeys(random_word(context, n))});
  test_by_inversions(context, patterns);
}

}  // namespace

harness::Case define() {
  harness::Case test_case =
      memory_case("memtest.random_sequence",
                  "Moving inversions with random words, others in each place, from a counter-based generator",
                  "cuda_memtest test 7");
  test_case.run = run;
  test_case.faults = memory_and_address_faults();
  return test_case;
}

}  // namespace gpucheck::cases::in_memtest::random_sequence
