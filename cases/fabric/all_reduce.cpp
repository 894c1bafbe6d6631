#include "cases/fabric/support.hpp"

namespace gpucheck::cases::in_fabric::all_reduce {

harness::Case define() {
  return collective_case(
      "fabric.all_reduce",
      "All devices of all nodes add up what each has (all_reduce), as data-parallel "
      "training does with gradients; compared bit for bit",
      [](harness::Context& context) { run_collective(context, device::CollectiveKind::all_reduce); });
}

}  // namespace gpucheck::cases::in_fabric::all_reduce
