#include "device/cuda/cuda_driver.hpp"
#include "hardware.hpp"

namespace peers {

std::unique_ptr<gpucheck::device::Driver> make_hardware_driver() { return gpucheck::cuda::make_driver(); }

}  // namespace peers
