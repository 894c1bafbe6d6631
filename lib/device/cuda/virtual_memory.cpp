#include <cuda.h>

#include "device/cuda/cuda_device.hpp"
#include "device/cuda/loading/driver_library.hpp"

// Virtual memory is the driver API's alone. CUresult and cudaError_t share their numbers.
namespace gpucheck::cuda {
namespace {

using device::Result;
using device::Status;

struct VirtualMemoryApi {
  decltype(&cuMemAddressReserve) reserve = nullptr;
  decltype(&cuMemAddressFree) release = nullptr;
  decltype(&cuMemCreate) create = nullptr;
  decltype(&cuMemRelease) drop = nullptr;
  decltype(&cuMemMap) map = nullptr;
  decltype(&cuMemUnmap) unmap = nullptr;
  decltype(&cuMemSetAccess) set_access = nullptr;

  [[nodiscard]] bool complete() const noexcept {
    return reserve && release && create && drop && map && unmap && set_access;
  }
};

template <typename Function>
void find(Function& function, const char* name) {
  function = reinterpret_cast<Function>(driver_function(name));
}

/// All null when the driver is absent or older than this API.
const VirtualMemoryApi& api() {
  static const VirtualMemoryApi found = [] {
    VirtualMemoryApi result;
    find(result.reserve, "cuMemAddressReserve");
    find(result.release, "cuMemAddressFree");
    find(result.create, "cuMemCreate");
    find(result.drop, "cuMemRelease");
    find(result.map, "cuMemMap");
    find(result.unmap, "cuMemUnmap");
    find(result.set_access, "cuMemSetAccess");
    return result;
  }();
  return found;
}

CUdeviceptr number(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

cudaError_t code(CUresult result) { return static_cast<cudaError_t>(result); }

CUmemLocation on_device(int ordinal) {
  CUmemLocation location{};
  location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  location.id = ordinal;
  return location;
}

CUresult make_accessible(CUdeviceptr address, std::size_t bytes, int ordinal) {
  CUmemAccessDesc access{};
  access.location = on_device(ordinal);
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return api().set_access(address, bytes, &access, 1);
}

/// The mapping keeps the memory; the handle is not needed beyond it.
CUresult map_new_memory(CUdeviceptr address, std::size_t bytes, int ordinal) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = on_device(ordinal);
  CUmemGenericAllocationHandle memory{};
  if (const CUresult result = api().create(&memory, bytes, &properties, 0); result != CUDA_SUCCESS) return result;
  const CUresult mapped = api().map(address, bytes, 0, memory, 0);
  static_cast<void>(api().drop(memory));
  if (mapped != CUDA_SUCCESS) return mapped;
  const CUresult accessible = make_accessible(address, bytes, ordinal);
  if (accessible != CUDA_SUCCESS) static_cast<void>(api().unmap(address, bytes));
  return accessible;
}

}  // namespace

Result<void*> CudaDevice::reserve_addresses(std::size_t bytes) {
  CUdeviceptr address = 0;
  const cudaError_t error = call([&] {
    return api().complete() ? code(api().reserve(&address, bytes, device::mapping_granularity, 0, 0))
                            : cudaErrorNotSupported;
  });
  return to_result(error, reinterpret_cast<void*>(address));
}

Status CudaDevice::release_addresses(void* pointer, std::size_t bytes) {
  return status_of(
      [&] { return api().complete() ? code(api().release(number(pointer), bytes)) : cudaErrorNotSupported; });
}

Status CudaDevice::map_memory(void* pointer, std::size_t bytes) {
  return status_of([&] {
    return api().complete() ? code(map_new_memory(number(pointer), bytes, ordinal_)) : cudaErrorNotSupported;
  });
}

Status CudaDevice::unmap_memory(void* pointer, std::size_t bytes) {
  return status_of(
      [&] { return api().complete() ? code(api().unmap(number(pointer), bytes)) : cudaErrorNotSupported; });
}

}  // namespace gpucheck::cuda
