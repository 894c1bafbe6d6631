#include "cases/rng/support.hpp"

namespace gpucheck::cases::in_rng {

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
