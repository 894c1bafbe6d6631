#include "cases/fabric/support.hpp"

namespace gpucheck::cases::in_fabric::reduce_scatter {

harness::Case define() {
  return collective_case(
      "fabric.reduce_scatter",
      "Each device of all nodes gets its part of the sum (reduce_scatter), as sharded "
      "training does with gradients; compared bit for bit",
      [](harness::Context& context) { run_collective(context, device::CollectiveKind::reduce_scatter); });
}

}  // namespace gpucheck::cases::in_fabric::reduce_scatter
