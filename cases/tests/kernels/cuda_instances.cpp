#include "cases/tests/kernels/suites.hpp"
#include "device/cuda/cuda_driver.hpp"

namespace gpucheck::device::contract {
namespace {

const auto hardware = testing::Values(Backend{.label = "gpu0", .make_driver = cuda::make_driver, .hardware = true});

GPUCHECK_INSTANTIATE_KERNELS_OF_CASES(cuda, hardware);

}  // namespace
}  // namespace gpucheck::device::contract
