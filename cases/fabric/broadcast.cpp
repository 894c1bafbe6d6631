#include "cases/fabric/support.hpp"

namespace gpucheck::cases::in_fabric::broadcast {

harness::Case define() {
  return collective_case("fabric.broadcast",
                         "All devices of all nodes get what the first has (broadcast), as training does at "
                         "its start; compared bit for bit",
                         [](harness::Context& context) { run_collective(context, device::CollectiveKind::broadcast); });
}

}  // namespace gpucheck::cases::in_fabric::broadcast
