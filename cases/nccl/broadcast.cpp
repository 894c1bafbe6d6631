#include "cases/nccl/support.hpp"

namespace gpucheck::cases::in_nccl::broadcast {

harness::Case define() {
  return collective_case("nccl.broadcast", "The first device sends to all others (broadcast); compared bit for bit",
                         "nccl-tests broadcast_perf",
                         [](harness::Context& context) { run_collective(context, device::CollectiveKind::broadcast); });
}

}  // namespace gpucheck::cases::in_nccl::broadcast
