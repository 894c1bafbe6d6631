#include "cases/gpu_faults.hpp"
#include "cases/memtest/support.hpp"

namespace gpucheck::cases::in_memtest::own_address {
namespace {

using device::kernels::OwnAddress;

void run(harness::Context& context) { test_by_inversions<OwnAddress>(context, {{}}); }

}  // namespace

harness::Case define() {
  harness::Case test_case =
      memory_case("memtest.own_address",
                  "Each word holds its own address, then the complement: no two addresses lead to the same cell",
                  "cuda_memtest test 1");
  test_case.run = run;
  test_case.faults = with_gpu_faults(memory_and_address_faults());
  return test_case;
}

}  // namespace gpucheck::cases::in_memtest::own_address
