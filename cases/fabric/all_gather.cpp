#include "cases/fabric/support.hpp"

namespace gpucheck::cases::in_fabric::all_gather {

harness::Case define() {
  return collective_case(
      "fabric.all_gather",
      "All devices of all nodes get what each has (all_gather), as sharded training "
      "does with weights; compared bit for bit",
      [](harness::Context& context) { run_collective(context, device::CollectiveKind::all_gather); });
}

}  // namespace gpucheck::cases::in_fabric::all_gather
