#include "device/fault/fault_device.hpp"

#include <limits>

#include "device/fault/flip_bit.hpp"
#include "device/fault/relaxed_capture.hpp"

namespace gpucheck::fault {
namespace {

using device::Status;
using device::Stream;

/// What a wrong default stream is. No call is ever passed on with it: a real driver
/// would take it for an address.
constexpr Stream not_a_stream{std::numeric_limits<std::uintptr_t>::max()};

/// The call, or the refusal of a stream that is none.
template <typename Call>
auto on(Stream stream, Call call) {
  return [stream, call]() -> decltype(call()) {
    if (stream == not_a_stream) return Status::invalid_resource_handle;
    return call();
  };
}

/// A change for operations whose only effect of their own is a wrong answer: `spoil`
/// gets the right one.
template <typename Spoil>
auto wrong_answer(Spoil spoil) {
  return [spoil](ArmedRule&, auto& call) {
    auto result = call();
    if (result) spoil(*result);
    return result;
  };
}

/// A change that takes unfinished work for finished.
constexpr auto not_ready_as_success = [](ArmedRule& rule, auto& call) {
  const Status status = call();
  return status == Status::not_ready && rule.claim() ? Status::success : status;
};

/// A change that flips a bit in what a successful call wrote.
auto flip_in(device::Device& device, const Written& written, Stream stream) {
  return [&device, written, stream](ArmedRule& rule, auto& call) {
    const Status status = call();
    const bool wrote = status == Status::success && written.bytes > 0;
    return wrote && rule.claim() ? flip_bit(device, written, stream) : status;
  };
}

}  // namespace

FaultDevice::FaultDevice(std::unique_ptr<device::Device> behind, std::shared_ptr<Faults> faults) noexcept
    : ForwardingDevice(std::move(behind)), faults_(std::move(faults)) {}

// ---- how a call is made ---------------------------------------------------------------

Status FaultDevice::shown(Status status) const noexcept {
  return faults_->hides_sticky_errors() && device::is_sticky(status) ? Status::success : status;
}

template <typename Call, typename Change>
Status FaultDevice::status_of(Operation operation, Call call, Change change) {
  ArmedRule* rule = faults_->next(operation);
  if (faults_->lost() != Status::success) return faults_->lost();
  if (rule == nullptr) return shown(call());
  switch (rule->effect()) {
    case Effect::fail:
      return rule->status();
    case Effect::drop:
      return Status::success;
    case Effect::report_success:
      static_cast<void>(call());
      return Status::success;
    default:
      return shown(change(*rule, call));
  }
}

template <typename Call>
Status FaultDevice::status_of(Operation operation, Call call) {
  return status_of(operation, call, [](ArmedRule&, auto& made) { return made(); });
}

template <typename Call, typename Change>
auto FaultDevice::value_of(Operation operation, Call call, Change change) -> decltype(call()) {
  using Zero = typename decltype(call())::value_type;
  ArmedRule* rule = faults_->next(operation);
  if (faults_->lost() != Status::success) return faults_->lost();
  if (rule == nullptr) return call();
  switch (rule->effect()) {
    case Effect::fail:
      return rule->status();
    case Effect::drop:
      return Zero{};
    case Effect::report_success: {
      auto result = call();
      return result ? result : Zero{};
    }
    default:
      return change(*rule, call);
  }
}

template <typename Call>
auto FaultDevice::value_of(Operation operation, Call call) -> decltype(call()) {
  return value_of(operation, call, [](ArmedRule&, auto& made) { return made(); });
}

// ---- memory ---------------------------------------------------------------------------

FaultDevice::Result<void*> FaultDevice::allocate(std::size_t bytes) {
  const auto call = [&] {
    Result<void*> result = behind().allocate(bytes);
    if (result) blocks_.add(*result, bytes);
    return result;
  };
  return value_of(Operation::allocate, call, [&](ArmedRule& rule, auto& made) -> Result<void*> {
    void* pointer = blocks_.share(bytes);
    if (pointer == nullptr) return made();
    if (rule.claim()) return pointer;
    static_cast<void>(blocks_.release(pointer));
    return made();
  });
}

Status FaultDevice::free(void* pointer) {
  return status_of(Operation::free,
                   [&] { return blocks_.release(pointer) ? behind().free(pointer) : Status::success; });
}

FaultDevice::Result<void*> FaultDevice::allocate_async(std::size_t bytes, Stream stream) {
  return value_of(Operation::allocate_async, on(stream, [&] { return behind().allocate_async(bytes, stream); }));
}

Status FaultDevice::free_async(void* pointer, Stream stream) {
  return status_of(Operation::free_async, on(stream, [&] { return behind().free_async(pointer, stream); }));
}

FaultDevice::Result<device::AsyncPoolUsage> FaultDevice::async_pool_usage() {
  return value_of(Operation::async_pool_usage, [&] { return behind().async_pool_usage(); });
}

Status FaultDevice::reset_async_pool_peaks() {
  return status_of(Operation::reset_async_pool_peaks, [&] { return behind().reset_async_pool_peaks(); });
}

Status FaultDevice::set_async_pool_threshold(std::uint64_t bytes) {
  return status_of(Operation::set_async_pool_threshold, [&] { return behind().set_async_pool_threshold(bytes); });
}

Status FaultDevice::trim_async_pool(std::uint64_t bytes_to_keep) {
  return status_of(Operation::trim_async_pool, [&] { return behind().trim_async_pool(bytes_to_keep); });
}

FaultDevice::Result<void*> FaultDevice::allocate_pinned(std::size_t bytes) {
  return value_of(Operation::allocate_pinned, [&] { return behind().allocate_pinned(bytes); });
}

Status FaultDevice::free_pinned(void* pointer) {
  return status_of(Operation::free_pinned, [&] { return behind().free_pinned(pointer); });
}

Status FaultDevice::register_host(void* pointer, std::size_t bytes) {
  return status_of(Operation::register_host, [&] { return behind().register_host(pointer, bytes); });
}

Status FaultDevice::unregister_host(void* pointer) {
  return status_of(Operation::unregister_host, [&] { return behind().unregister_host(pointer); });
}

FaultDevice::Result<void*> FaultDevice::reserve_addresses(std::size_t bytes) {
  return value_of(Operation::reserve_addresses, [&] { return behind().reserve_addresses(bytes); });
}

Status FaultDevice::release_addresses(void* pointer, std::size_t bytes) {
  return status_of(Operation::release_addresses, [&] { return behind().release_addresses(pointer, bytes); });
}

Status FaultDevice::map_memory(void* pointer, std::size_t bytes) {
  return status_of(Operation::map_memory, [&] { return behind().map_memory(pointer, bytes); });
}

Status FaultDevice::unmap_memory(void* pointer, std::size_t bytes) {
  return status_of(Operation::unmap_memory, [&] { return behind().unmap_memory(pointer, bytes); });
}

FaultDevice::Result<device::MemoryInfo> FaultDevice::memory_info() {
  return value_of(
      Operation::memory_info, [&] { return behind().memory_info(); },
      wrong_answer([](device::MemoryInfo& info) { info.free_bytes = info.total_bytes; }));
}

FaultDevice::Result<device::PointerInfo> FaultDevice::pointer_info(const void* pointer) {
  return value_of(
      Operation::pointer_info, [&] { return behind().pointer_info(pointer); },
      wrong_answer([](device::PointerInfo& info) { info.kind = device::MemoryKind::unregistered; }));
}

// ---- streams and events ---------------------------------------------------------------

Stream FaultDevice::default_stream() const noexcept {
  // The only effect that comes back from `next` is a wrong answer.
  return faults_->next(Operation::default_stream) != nullptr ? not_a_stream : behind().default_stream();
}

FaultDevice::Result<Stream> FaultDevice::create_stream(device::StreamKind kind, int priority) {
  return value_of(Operation::create_stream, [&] { return behind().create_stream(kind, priority); });
}

Status FaultDevice::destroy_stream(Stream stream) {
  return status_of(Operation::destroy_stream, on(stream, [&] { return behind().destroy_stream(stream); }));
}

Status FaultDevice::query(Stream stream) {
  return status_of(Operation::query_stream, on(stream, [&] { return behind().query(stream); }), not_ready_as_success);
}

Status FaultDevice::synchronize(Stream stream) {
  return status_of(Operation::synchronize, on(stream, [&] { return behind().synchronize(stream); }));
}

Status FaultDevice::wait(Stream stream, Event event) {
  return status_of(Operation::wait, on(stream, [&] { return behind().wait(stream, event); }));
}

FaultDevice::Result<FaultDevice::Event> FaultDevice::create_event(device::EventKind kind) {
  return value_of(Operation::create_event, [&] { return behind().create_event(kind); });
}

Status FaultDevice::destroy_event(Event event) {
  return status_of(Operation::destroy_event, [&] { return behind().destroy_event(event); });
}

Status FaultDevice::record(Event event, Stream stream) {
  return status_of(Operation::record, on(stream, [&] { return behind().record(event, stream); }));
}

Status FaultDevice::query(Event event) {
  return status_of(
      Operation::query_event, [&] { return behind().query(event); }, not_ready_as_success);
}

Status FaultDevice::synchronize(Event event) {
  return status_of(Operation::synchronize, [&] { return behind().synchronize(event); });
}

FaultDevice::Result<float> FaultDevice::elapsed_ms(Event start, Event stop) {
  return value_of(
      Operation::elapsed_ms, [&] { return behind().elapsed_ms(start, stop); },
      wrong_answer([](float& elapsed) { elapsed = 0; }));
}

Status FaultDevice::synchronize() {
  return status_of(Operation::synchronize, [&] { return behind().synchronize(); });
}

// ---- work -----------------------------------------------------------------------------

Status FaultDevice::copy(void* destination, const void* source, std::size_t bytes, device::CopyKind kind,
                         Stream stream) {
  using device::CopyKind;
  const bool to_host = kind == CopyKind::device_to_host || kind == CopyKind::host_to_host;
  return status_of(Operation::copy, on(stream, [&] { return behind().copy(destination, source, bytes, kind, stream); }),
                   flip_in(behind(), {.address = destination, .bytes = bytes, .in_host_memory = to_host}, stream));
}

Status FaultDevice::fill(void* destination, std::uint8_t value, std::size_t bytes, Stream stream) {
  return status_of(Operation::fill, on(stream, [&] { return behind().fill(destination, value, bytes, stream); }),
                   flip_in(behind(), {.address = destination, .bytes = bytes}, stream));
}

Status FaultDevice::launch(const device::KernelLaunch& launch, Stream stream) {
  const auto call = on(stream, [&] { return behind().launch(launch, stream); });
  return status_of(Operation::launch_kernel, call, [&](ArmedRule& rule, auto& made) {
    if (rule.effect() == Effect::flip_bit) return flip_in(behind(), first_written(launch), stream)(rule, made);
    const Status status = made();
    const bool recorded = status == Status::success && is_capturing(behind(), stream);
    return recorded && rule.claim() ? run_now(launch) : status;
  });
}

Status FaultDevice::run_now(const device::KernelLaunch& launch) {
  const RelaxedCapture relaxed(behind());
  const Result<Stream> stream = side_stream();
  if (!stream) return stream.error();
  const Status status = behind().launch(launch, *stream);
  return status == Status::success ? behind().synchronize(*stream) : status;
}

FaultDevice::Result<Stream> FaultDevice::side_stream() {
  const std::scoped_lock lock(side_stream_mutex_);
  if (!side_stream_) {
    const Result<Stream> created = behind().create_stream(device::StreamKind::non_blocking, 0);
    if (!created) return created;
    side_stream_ = device::UniqueStream(behind(), *created);
  }
  return side_stream_.get();
}

Status FaultDevice::host_callback(Stream stream, device::HostFunction function, void* argument) {
  return status_of(Operation::host_callback,
                   on(stream, [&] { return behind().host_callback(stream, function, argument); }));
}

// ---- graphs ---------------------------------------------------------------------------

Status FaultDevice::begin_capture(Stream stream, device::CaptureMode mode) {
  return status_of(Operation::begin_capture, on(stream, [&] { return behind().begin_capture(stream, mode); }));
}

FaultDevice::Result<FaultDevice::Graph> FaultDevice::end_capture(Stream stream) {
  return value_of(Operation::end_capture, on(stream, [&] { return behind().end_capture(stream); }));
}

FaultDevice::Result<device::CaptureInfo> FaultDevice::capture_info(Stream stream) {
  return value_of(Operation::capture_info, on(stream, [&] { return behind().capture_info(stream); }),
                  wrong_answer([](device::CaptureInfo& info) { info = {}; }));
}

FaultDevice::Result<std::vector<device::GraphNode>> FaultDevice::capture_dependencies(Stream stream) {
  return value_of(Operation::capture_dependencies, on(stream, [&] { return behind().capture_dependencies(stream); }));
}

FaultDevice::Result<std::vector<device::GraphNode>> FaultDevice::node_dependencies(device::GraphNode node) {
  return value_of(Operation::node_dependencies, [&] { return behind().node_dependencies(node); });
}

FaultDevice::Result<device::CaptureMode> FaultDevice::exchange_capture_mode(device::CaptureMode mode) {
  return value_of(Operation::exchange_capture_mode, [&] { return behind().exchange_capture_mode(mode); });
}

FaultDevice::Result<std::size_t> FaultDevice::node_count(Graph graph) {
  return value_of(
      Operation::node_count, [&] { return behind().node_count(graph); },
      wrong_answer([](std::size_t& count) { count = count == 0 ? 1 : 0; }));
}

FaultDevice::Result<FaultDevice::GraphExec> FaultDevice::instantiate(Graph graph) {
  return value_of(Operation::instantiate, [&] { return behind().instantiate(graph); });
}

Status FaultDevice::launch(GraphExec executable, Stream stream) {
  return status_of(Operation::launch_graph, on(stream, [&] { return behind().launch(executable, stream); }));
}

Status FaultDevice::update(GraphExec executable, Graph graph) {
  return status_of(Operation::update_graph, [&] { return behind().update(executable, graph); });
}

Status FaultDevice::destroy_graph(Graph graph) {
  return status_of(Operation::destroy_graph, [&] { return behind().destroy_graph(graph); });
}

Status FaultDevice::destroy_executable(GraphExec executable) {
  return status_of(Operation::destroy_executable, [&] { return behind().destroy_executable(executable); });
}

// ---- errors and peers -----------------------------------------------------------------

std::string FaultDevice::error_text(Status status) const {
  return faults_->next(Operation::error_text) != nullptr ? "unknown error" : behind().error_text(status);
}

Status FaultDevice::last_error() {
  return status_of(Operation::last_error, [&] { return behind().last_error(); });
}

Status FaultDevice::peek_last_error() {
  return status_of(Operation::last_error, [&] { return behind().peek_last_error(); });
}

FaultDevice::Result<bool> FaultDevice::can_access_peer(int peer_ordinal) {
  return value_of(
      Operation::can_access_peer, [&] { return behind().can_access_peer(peer_ordinal); },
      wrong_answer([](bool& can) { can = !can; }));
}

Status FaultDevice::enable_peer_access(int peer_ordinal) {
  return status_of(Operation::enable_peer_access, [&] { return behind().enable_peer_access(peer_ordinal); });
}

}  // namespace gpucheck::fault
