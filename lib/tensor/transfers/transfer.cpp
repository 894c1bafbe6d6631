#include "tensor/transfers/transfer.hpp"

#include <cstring>

#include "device/check.hpp"
#include "runtime/streams/stream.hpp"

namespace gpucheck::tensor {
namespace {

std::size_t bytes_of(const Tensor& tensor) {
  return static_cast<std::size_t>(tensor.count()) * element_bytes(tensor.dtype());
}

void submit(runtime::Runtime& runtime, const Tensor& to, const Tensor& from, device::CopyKind kind) {
  device::check(runtime.device().copy(to.data(), from.data(), bytes_of(to), kind, runtime.current_stream()), "copy");
}

/// The device whose stream orders it waits for what the other one has been given, and afterwards the other for it.
void transfer_between_devices(const Tensor& to, const Tensor& from) {
  runtime::Runtime& target = to.device().runtime();
  runtime::Runtime& source = from.device().runtime();
  const runtime::Stream target_stream = runtime::Stream::current(target);
  const runtime::Stream source_stream = runtime::Stream::current(source);
  source_stream.wait_stream(target_stream);
  submit(source, to, from, device::CopyKind::device_to_device);
  target_stream.wait_stream(source_stream);
}

}  // namespace

void copy_bytes(const Tensor& to, const Tensor& from) {
  if (bytes_of(to) == 0) return;
  if (to.device().is_host()) {
    std::memcpy(to.data(), from.data(), bytes_of(to));
  } else {
    submit(to.device().runtime(), to, from, device::CopyKind::device_to_device);
  }
}

void transfer(const Tensor& to, const Tensor& from, bool non_blocking) {
  if (bytes_of(to) == 0) return;
  if (!to.device().is_host() && !from.device().is_host()) return transfer_between_devices(to, from);
  const bool is_to_host = to.device().is_host();
  const Tensor& on_host = is_to_host ? to : from;
  runtime::Runtime& runtime = (is_to_host ? from : to).device().runtime();
  submit(runtime, to, from, is_to_host ? device::CopyKind::device_to_host : device::CopyKind::host_to_device);
  if (runtime::Runtime* const pinned_by = on_host.storage().pinned_by(); non_blocking && pinned_by != nullptr) {
    pinned_by->pinned_allocator().record_event(on_host.storage().data(), nullptr, runtime.current_stream());
  } else {
    runtime.synchronize(runtime.current_stream());
  }
}

}  // namespace gpucheck::tensor
