#include "cases/rng/support.hpp"

namespace gpucheck::cases::in_rng {

std::vector<std::uint64_t> distinct(std::vector<std::uint64_t> numbers) {
  constexpr unsigned digit_bits = 16;
  constexpr std::uint64_t digit_values = std::uint64_t{1} << digit_bits;
  std::vector<std::uint64_t> sorted(numbers.size());
  for (unsigned shift = 0; shift < 64; shift += digit_bits) {
    std::vector<std::size_t> places(digit_values + 1);  // where the numbers with each digit begin
    for (const std::uint64_t number : numbers) ++places[(number >> shift) % digit_values + 1];
    for (std::size_t digit = 0; digit < digit_values; ++digit) places[digit + 1] += places[digit];
    for (const std::uint64_t number : numbers) sorted[places[(number >> shift) % digit_values]++] = number;
    numbers.swap(sorted);
  }
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

std::int64_t impossible_draws(const std::vector<float>& weights, const std::vector<std::int64_t>& drawn) {
  return std::ranges::count_if(drawn, [&](std::int64_t category) {
    return category < 0 || static_cast<std::size_t>(category) >= weights.size() ||
           weights[static_cast<std::size_t>(category)] == 0.0F;
  });
}

std::int64_t out_of_range(const std::vector<std::int64_t>& numbers, std::int64_t range) {
  return std::ranges::count_if(numbers, [range](std::int64_t number) { return number < 0 || number >= range; });
}

std::vector<harness::Fault> drawing_faults() {
  return {
      {.name = "lost_draw", .summary = "the first draw is never made", .plan = fault::kernel_lost(fault::nth_call(1))},
      {.name = "second_draw_lost",
       .summary = "the second draw is never made",
       .plan = fault::kernel_lost(fault::nth_call(2))},
      {.name = "flipped_bit",
       .summary = "one bit of what the first draw wrote flips",
       .plan = fault::kernel_flips_bit(fault::nth_call(1))}};
}

}  // namespace gpucheck::cases::in_rng
