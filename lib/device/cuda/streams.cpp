#include "device/cuda/cuda_device.hpp"

namespace gpucheck::cuda {

using device::Event;
using device::EventKind;
using device::Result;
using device::Status;
using device::Stream;
using device::StreamKind;

Stream CudaDevice::default_stream() const noexcept { return device::legacy_default_stream; }

Result<Stream> CudaDevice::create_stream(StreamKind kind, int priority) {
  const unsigned flags = kind == StreamKind::non_blocking ? cudaStreamNonBlocking : cudaStreamDefault;
  cudaStream_t stream = nullptr;
  const cudaError_t error = call([&] { return cudaStreamCreateWithPriority(&stream, flags, priority); });
  return to_result(error, wrap<Stream>(stream));
}

Status CudaDevice::destroy_stream(Stream stream) {
  return status_of([&] { return cudaStreamDestroy(raw(stream)); });
}

Status CudaDevice::query(Stream stream) {
  return status_of([&] { return cudaStreamQuery(raw(stream)); });
}

Status CudaDevice::synchronize(Stream stream) {
  return status_of([&] { return cudaStreamSynchronize(raw(stream)); });
}

Status CudaDevice::wait(Stream stream, Event event) {
  return status_of([&] { return cudaStreamWaitEvent(raw(stream), raw(event), cudaEventWaitDefault); });
}

Status CudaDevice::wait_external(Stream stream, Event event) {
  return status_of([&] { return cudaStreamWaitEvent(raw(stream), raw(event), cudaEventWaitExternal); });
}

static_assert(static_cast<unsigned>(EventKind::timing) == cudaEventDefault);
static_assert(static_cast<unsigned>(EventKind::blocking) == cudaEventBlockingSync);
static_assert(static_cast<unsigned>(EventKind::no_timing) == cudaEventDisableTiming);
static_assert(static_cast<unsigned>(EventKind::interprocess) == cudaEventInterprocess);

Result<Event> CudaDevice::create_event(EventKind kind) {
  cudaEvent_t event = nullptr;
  const cudaError_t error = call([&] { return cudaEventCreateWithFlags(&event, static_cast<unsigned>(kind)); });
  return to_result(error, wrap<Event>(event));
}

Status CudaDevice::destroy_event(Event event) {
  return status_of([&] { return cudaEventDestroy(raw(event)); });
}

Status CudaDevice::record(Event event, Stream stream) {
  return status_of([&] { return cudaEventRecord(raw(event), raw(stream)); });
}

Status CudaDevice::record_external(Event event, Stream stream) {
  return status_of([&] { return cudaEventRecordWithFlags(raw(event), raw(stream), cudaEventRecordExternal); });
}

Status CudaDevice::query(Event event) {
  return status_of([&] { return cudaEventQuery(raw(event)); });
}

Status CudaDevice::synchronize(Event event) {
  return status_of([&] { return cudaEventSynchronize(raw(event)); });
}

Result<float> CudaDevice::elapsed_ms(Event start, Event stop) {
  float milliseconds = 0;
  const cudaError_t error = call([&] { return cudaEventElapsedTime(&milliseconds, raw(start), raw(stop)); });
  return to_result(error, milliseconds);
}

Status CudaDevice::synchronize() { return status_of(cudaDeviceSynchronize); }

}  // namespace gpucheck::cuda
