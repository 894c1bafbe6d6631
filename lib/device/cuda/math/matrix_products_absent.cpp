#include "device/cuda/cuda_device.hpp"

// For toolkits without the header of cuBLASLt.
namespace gpucheck::cuda {

using device::Result;
using device::Status;

Result<device::VendorLibrary> CudaDevice::math_library() {
  return device::VendorLibrary{"cuBLASLt", "", "this gpucheck was built without cuBLASLt's header"};
}

Result<device::ProductAlgorithm> CudaDevice::choose_algorithm(const device::MatrixProduct&, std::uint64_t) {
  return Status::shared_object_init_failed;
}

Status CudaDevice::multiply(const device::MatrixProduct&, const device::ProductAlgorithm&,
                            const device::ProductOperands&, device::Stream) {
  return Status::shared_object_init_failed;
}

}  // namespace gpucheck::cuda
