#include "harness/case/counting_device.hpp"

namespace gpucheck::harness {
namespace {

using device::Result;
using device::Status;
using device::Stream;

Result<void*> counted(AllocationLedger& ledger, Result<void*> result, std::size_t bytes) {
  if (result) ledger.add(*result, bytes);
  return result;
}

/// Takes the allocation out first: once it is free, another thread may get its address.
template <typename Free>
Status uncounted(AllocationLedger& ledger, void* pointer, Free free) {
  const std::size_t bytes = ledger.remove(pointer);
  const Status status = free();
  if (status != Status::success && bytes > 0) ledger.add(pointer, bytes);
  return status;
}

}  // namespace

void AllocationLedger::add(void* pointer, std::size_t bytes) {
  if (pointer == nullptr) return;
  const std::scoped_lock lock(mutex_);
  allocations_.emplace(pointer, bytes);
}

std::size_t AllocationLedger::remove(void* pointer) {
  const std::scoped_lock lock(mutex_);
  const auto found = allocations_.find(pointer);
  if (found == allocations_.end()) return 0;
  const std::size_t bytes = found->second;
  allocations_.erase(found);
  return bytes;
}

LiveMemory AllocationLedger::live() const {
  const std::scoped_lock lock(mutex_);
  LiveMemory live{.allocations = allocations_.size()};
  for (const auto& [pointer, bytes] : allocations_) live.bytes += bytes;
  return live;
}

Result<void*> CountingDevice::allocate(std::size_t bytes) {
  return counted(device_memory_, inner().allocate(bytes), bytes);
}

Status CountingDevice::free(void* pointer) {
  return uncounted(device_memory_, pointer, [&] { return inner().free(pointer); });
}

Result<void*> CountingDevice::allocate_async(std::size_t bytes, Stream stream) {
  Result<void*> result = inner().allocate_async(bytes, stream);
  const Result<device::CaptureInfo> capture = inner().capture_info(stream);
  const bool of_graph = capture && capture->status == device::CaptureStatus::active;
  return of_graph ? result : counted(device_memory_, result, bytes);
}

Status CountingDevice::free_async(void* pointer, Stream stream) {
  return uncounted(device_memory_, pointer, [&] { return inner().free_async(pointer, stream); });
}

Result<void*> CountingDevice::allocate_pinned(std::size_t bytes) {
  return counted(pinned_memory_, inner().allocate_pinned(bytes), bytes);
}

Status CountingDevice::free_pinned(void* pointer) {
  return uncounted(pinned_memory_, pointer, [&] { return inner().free_pinned(pointer); });
}

Status CountingDevice::register_host(void* pointer, std::size_t bytes) {
  const Status status = inner().register_host(pointer, bytes);
  if (status == Status::success) registered_memory_.add(pointer, bytes);
  return status;
}

Status CountingDevice::unregister_host(void* pointer) {
  return uncounted(registered_memory_, pointer, [&] { return inner().unregister_host(pointer); });
}

Status CountingDevice::map_memory(void* pointer, std::size_t bytes) {
  const Status status = inner().map_memory(pointer, bytes);
  if (status == Status::success) device_memory_.add(pointer, bytes);
  return status;
}

Status CountingDevice::unmap_memory(void* pointer, std::size_t bytes) {
  return uncounted(device_memory_, pointer, [&] { return inner().unmap_memory(pointer, bytes); });
}

Result<Stream> CountingDevice::create_stream(device::StreamKind kind, int priority) {
  return handles_.created(inner().create_stream(kind, priority));
}

Status CountingDevice::destroy_stream(Stream stream) {
  return handles_.destroyed(stream, [&] { return inner().destroy_stream(stream); });
}

Result<device::Event> CountingDevice::create_event(device::EventKind kind) {
  return handles_.created(inner().create_event(kind));
}

Status CountingDevice::destroy_event(device::Event event) {
  return handles_.destroyed(event, [&] { return inner().destroy_event(event); });
}

Result<device::Graph> CountingDevice::end_capture(Stream stream) {
  return handles_.created(inner().end_capture(stream));
}

Status CountingDevice::destroy_graph(device::Graph graph) {
  return handles_.destroyed(graph, [&] { return inner().destroy_graph(graph); });
}

Result<device::GraphExec> CountingDevice::instantiate(device::Graph graph) {
  return handles_.created(inner().instantiate(graph));
}

Status CountingDevice::destroy_executable(device::GraphExec executable) {
  return handles_.destroyed(executable, [&] { return inner().destroy_executable(executable); });
}

Result<device::Communicator> CountingDevice::create_communicator(const std::vector<int>& ordinals) {
  return handles_.created(inner().create_communicator(ordinals));
}

Result<device::Communicator> CountingDevice::join_communicator(const device::Seats& seats) {
  return handles_.created(inner().join_communicator(seats));
}

Status CountingDevice::destroy_communicator(device::Communicator communicator) {
  return handles_.destroyed(communicator, [&] { return inner().destroy_communicator(communicator); });
}

}  // namespace gpucheck::harness
