#include "cases/fabric/support.hpp"

namespace gpucheck::cases::in_fabric::send_receive {

harness::Case define() {
  return collective_case(
      "fabric.send_receive",
      "Each device of all nodes sends to the next (send and receive), as pipelines do; "
      "compared bit for bit",
      [](harness::Context& context) { run_collective(context, device::CollectiveKind::send_receive); });
}

}  // namespace gpucheck::cases::in_fabric::send_receive
