#include "cases/memtest/support.hpp"

namespace gpucheck::cases::in_memtest::stress {
namespace {

using device::kernels::RepeatedWord;

/// How often memory is inverted where nobody says it.
constexpr std::size_t passes_on_gpu = 60;
constexpr std::size_t passes_on_simulator = 8;

std::size_t inversions(harness::Context& context) {
  const auto asked = static_cast<std::size_t>(context.parameter<std::int64_t>("inversions"));
  if (asked != 0) return asked;
  return context.driver().kind() == "sim" ? passes_on_simulator : passes_on_gpu;
}

void run(harness::Context& context) {
  const std::size_t count = inversions(context);
  const RepeatedWord pattern{random_word(context, 0)};
  MemoryTest test(context, count + 1);
  test.write(pattern);
  for (std::size_t i = 0; i < count; ++i) test.replace(pattern, i % 2 == 0 ? as_it_is : complemented);
  test.verify(pattern, count % 2 == 0 ? as_it_is : complemented);
  test.observe();
}

}  // namespace

harness::Case define() {
  harness::Case test_case = memory_case(
      "memtest.stress", "A random word is read, compared and replaced by its complement, over and over, at full speed",
      "cuda_memtest test 10, which leaves out what lies beyond 2 GiB");
  test_case.parameters.push_back({.name = "inversions",
                                  .summary = "how often; 0: 60 times on a GPU, 8 on the simulated device",
                                  .default_value = std::int64_t{0},
                                  .minimum = 0,
                                  .maximum = 1'000'000});
  test_case.faults.erase(std::ranges::find(test_case.faults, "verification_is_lost", &harness::Fault::name));
  test_case.faults.push_back({"inversion_is_lost", "one kernel that compares and replaces does not run",
                              fault::kernel_lost(fault::nth_call(3))});
  test_case.run = run;
  return test_case;
}

}  // namespace gpucheck::cases::in_memtest::stress
