#include "cases/nccl/support.hpp"

namespace gpucheck::cases::in_nccl::all_reduce {

harness::Case define() {
  return collective_case("nccl.all_reduce",
                         "All devices add up what each has (all_reduce), as data-parallel training does with "
                         "gradients; compared bit for bit",
                         "nccl-tests all_reduce_perf", [](harness::Context& context) {
                           run_collective(context, device::CollectiveKind::all_reduce);
                         });
}

}  // namespace gpucheck::cases::in_nccl::all_reduce
