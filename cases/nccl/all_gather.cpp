#include "cases/nccl/support.hpp"

namespace gpucheck::cases::in_nccl::all_gather {

harness::Case define() {
  return collective_case("nccl.all_gather", "All devices gather what each has (all_gather); compared bit for bit",
                         "nccl-tests all_gather_perf", [](harness::Context& context) {
                           run_collective(context, device::CollectiveKind::all_gather);
                         });
}

}  // namespace gpucheck::cases::in_nccl::all_gather
