#include "device/cuda/cuda_driver.hpp"
#include "tensor/benchmarks/gpu.hpp"

namespace gpucheck::benchmarks {

std::unique_ptr<device::Driver> make_gpu_driver() { return cuda::make_driver(); }

}  // namespace gpucheck::benchmarks
