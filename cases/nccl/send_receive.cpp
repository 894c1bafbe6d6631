#include "cases/nccl/support.hpp"

namespace gpucheck::cases::in_nccl::send_receive {

harness::Case define() {
  return collective_case(
      "nccl.send_receive",
      "Each device sends to the next one, in a circle (send, recv), as pipelines do; compared bit for bit",
      "nccl-tests sendrecv_perf",
      [](harness::Context& context) { run_collective(context, device::CollectiveKind::send_receive); });
}

}  // namespace gpucheck::cases::in_nccl::send_receive
