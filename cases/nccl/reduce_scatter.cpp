#include "cases/nccl/support.hpp"

namespace gpucheck::cases::in_nccl::reduce_scatter {

harness::Case define() {
  return collective_case(
      "nccl.reduce_scatter",
      "All devices add up what each has, and each keeps its part (reduce_scatter); compared bit for bit",
      "nccl-tests reduce_scatter_perf",
      [](harness::Context& context) { run_collective(context, device::CollectiveKind::reduce_scatter); });
}

}  // namespace gpucheck::cases::in_nccl::reduce_scatter
