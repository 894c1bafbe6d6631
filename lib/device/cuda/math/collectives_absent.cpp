#include "device/cuda/cuda_device.hpp"

// For toolkits without the header of NCCL.
namespace gpucheck::cuda {

using device::Communicator;
using device::Result;
using device::Status;

namespace {
constexpr const char* problem = "this gpucheck was built without NCCL's header";
}

Result<device::VendorLibrary> CudaDevice::collective_library() { return device::VendorLibrary{"NCCL", "", problem}; }

Result<Communicator> CudaDevice::create_communicator(const std::vector<int>&) {
  return Status::shared_object_init_failed;
}

Result<std::string> CudaDevice::open_meeting() { return Status::shared_object_init_failed; }

Result<Communicator> CudaDevice::join_communicator(const device::Seats&) { return Status::shared_object_init_failed; }

Status CudaDevice::abort_communicator(Communicator) { return Status::invalid_resource_handle; }

Status CudaDevice::destroy_communicator(Communicator) { return Status::invalid_resource_handle; }

Status CudaDevice::communicate(Communicator, const device::Collective&, const std::vector<device::RankOperands>&) {
  return Status::invalid_resource_handle;
}

Status CudaDevice::communicator_status(Communicator) { return Status::invalid_resource_handle; }

Result<std::string> CudaDevice::collective_problem() { return std::string(problem); }

}  // namespace gpucheck::cuda
