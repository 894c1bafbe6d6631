#include "cases/fabric/support.hpp"

namespace gpucheck::cases::in_fabric::all_to_all {

harness::Case define() {
  return collective_case(
      "fabric.all_to_all",
      "Each device of all nodes sends to every other (all_to_all), as mixtures of "
      "experts do; compared bit for bit",
      [](harness::Context& context) { run_collective(context, device::CollectiveKind::all_to_all); });
}

}  // namespace gpucheck::cases::in_fabric::all_to_all
