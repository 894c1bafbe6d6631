#include "cases/nccl/support.hpp"

namespace gpucheck::cases::in_nccl::all_to_all {

harness::Case define() {
  return collective_case(
      "nccl.all_to_all",
      "Each device sends something else to each (all_to_all), as mixtures of experts do; compared bit for bit",
      "nccl-tests alltoall_perf",
      [](harness::Context& context) { run_collective(context, device::CollectiveKind::all_to_all); });
}

}  // namespace gpucheck::cases::in_nccl::all_to_all
