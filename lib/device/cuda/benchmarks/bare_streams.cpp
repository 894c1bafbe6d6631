#include "device/cuda/benchmarks/bare_streams.hpp"

#include "device/cuda/convert.hpp"

namespace gpucheck::cuda::benchmarks {

bool record_bare(device::Event event, device::Stream stream) noexcept {
  return cudaEventRecord(raw(event), raw(stream)) == cudaSuccess;
}

bool wait_bare(device::Stream stream, device::Event event) noexcept {
  return cudaStreamWaitEvent(raw(stream), raw(event), cudaEventWaitDefault) == cudaSuccess;
}

}  // namespace gpucheck::cuda::benchmarks
