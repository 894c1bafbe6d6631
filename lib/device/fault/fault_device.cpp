#include "device/fault/fault_device.hpp"

#include <algorithm>
#include <optional>

#include "device/fault/disturbed_launch.hpp"
#include "device/fault/flip_bit.hpp"
#include "device/fault/spoil_product.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"
#include "device/relaxed_capture.hpp"

namespace gpucheck::fault {
namespace {

using device::Status;
using device::Stream;

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

/// Makes a call on a stream that is kept busy before.
template <typename Call>
Status delayed(device::Device& device, const ArmedRule& rule, Stream stream, Call& call) {
  const device::kernels::Spin spin{static_cast<std::uint64_t>(rule.delay().count())};
  const Status status = device::launch(device, spin, 1, stream);
  return status == Status::success ? call() : status;
}

/// A change of work on a stream: before it a delay, or after it a flipped bit in what it wrote.
auto spoil_work(device::Device& device, const Written& written, Stream stream) {
  return [&device, written, stream](ArmedRule& rule, auto& call) {
    if (rule.effect() == Effect::delay) return delayed(device, rule, stream, call);
    const Status status = call();
    void* const byte = byte_at(written, rule.place());
    const bool wrote = status == Status::success && byte != nullptr;
    return wrote && rule.claim() ? flip_bit(device, {byte, 1, written.in_host_memory}, stream) : status;
  };
}

}  // namespace

FaultDevice::Result<void*> FaultDevice::allocate(std::size_t bytes) {
  const auto call = [&] {
    Result<void*> result = inner().allocate(bytes);
    if (result) blocks_.add(*result, bytes, *result);
    return result;
  };
  return value_of(Operation::allocate, call, [&](ArmedRule& rule, auto& made) -> Result<void*> {
    if (rule.effect() == Effect::misalign) return allocate_misaligned(bytes);
    if (rule.effect() != Effect::alias) {
      const Result<void*> memory = made();
      if (memory) break_memory(rule, {.address = *memory, .bytes = bytes});
      return memory;
    }
    void* pointer = blocks_.share(bytes);
    if (pointer == nullptr) return made();
    if (rule.claim()) return pointer;
    static_cast<void>(blocks_.release(pointer));
    return made();
  });
}

FaultDevice::Result<void*> FaultDevice::allocate_misaligned(std::size_t bytes) {
  constexpr std::size_t distance = 64;
  const Result<void*> start = inner().allocate(bytes + distance);
  if (!start || *start == nullptr) return start;
  void* const pointer = static_cast<std::byte*>(*start) + distance;
  blocks_.add(pointer, bytes, *start);
  return pointer;
}

void FaultDevice::break_memory(ArmedRule& rule, const Written& memory) {
  if (rule.effect() == Effect::stick_bit) {
    void* const byte = byte_at(memory, rule.place());
    if (byte != nullptr && rule.claim()) broken_.stick_bit(memory, byte);
  } else if (BrokenMemory::has_address_line(memory) && rule.claim()) {
    broken_.alias_address_line(memory);
  }
}

Status FaultDevice::free(void* pointer) {
  return status_of(Operation::free, [&] {
    const std::optional<void*> start = blocks_.release(pointer);
    if (!start) return Status::success;
    broken_.forget(pointer);
    return inner().free(*start);
  });
}

FaultDevice::Result<device::MemoryInfo> FaultDevice::memory_info() {
  return value_of(
      Operation::memory_info, [&] { return inner().memory_info(); },
      wrong_answer([](device::MemoryInfo& info) { info.free_bytes = info.total_bytes; }));
}

FaultDevice::Result<device::PointerInfo> FaultDevice::pointer_info(const void* pointer) {
  return value_of(
      Operation::pointer_info, [&] { return inner().pointer_info(pointer); },
      wrong_answer([](device::PointerInfo& info) { info.kind = device::MemoryKind::unregistered; }));
}

Stream FaultDevice::default_stream() const noexcept {
  // The only effect that comes back from `next` is a wrong answer.
  return next(Operation::default_stream) != nullptr ? not_a_stream : inner().default_stream();
}

FaultDevice::Result<Stream> FaultDevice::create_stream(device::StreamKind kind, int priority) {
  return value_of(Operation::create_stream, [&] { return handles_->created(inner().create_stream(kind, priority)); });
}

Status FaultDevice::destroy_stream(Stream stream) {
  const auto destroy = on(stream, [&] { return inner().destroy_stream(stream); });
  return status_of(Operation::destroy_stream, [&] { return handles_->destroyed(stream, destroy); });
}

FaultDevice::Result<device::Event> FaultDevice::create_event(device::EventKind kind) {
  return value_of(Operation::create_event, [&] { return handles_->created(inner().create_event(kind)); });
}

Status FaultDevice::destroy_event(device::Event event) {
  const auto destroy = [&] { return inner().destroy_event(event); };
  return status_of(Operation::destroy_event, [&] { return handles_->destroyed(event, destroy); });
}

Status FaultDevice::query(Stream stream) {
  return status_of(Operation::query_stream, on(stream, [&] { return inner().query(stream); }), not_ready_as_success);
}

Status FaultDevice::query(device::Event event) {
  return status_of(
      Operation::query_event, [&] { return inner().query(event); }, not_ready_as_success);
}

FaultDevice::Result<float> FaultDevice::elapsed_ms(device::Event start, device::Event stop) {
  return value_of(
      Operation::elapsed_ms, [&] { return inner().elapsed_ms(start, stop); },
      wrong_answer([](float& elapsed) { elapsed = 0; }));
}

Status FaultDevice::copy(void* destination, const void* source, std::size_t bytes, device::CopyKind kind,
                         Stream stream) {
  using device::CopyKind;
  const bool to_host = kind == CopyKind::device_to_host || kind == CopyKind::host_to_host;
  const Written written{.address = destination, .bytes = bytes, .in_host_memory = to_host};
  const auto call = on(stream, [&] {
    const Status status = inner().copy(destination, source, bytes, kind, stream);
    return status == Status::success ? broken_.after_write(inner(), written, stream) : status;
  });
  return status_of(Operation::copy, call, spoil_work(inner(), written, stream));
}

Status FaultDevice::fill(void* destination, std::uint8_t value, std::size_t bytes, Stream stream) {
  const Written written{.address = destination, .bytes = bytes};
  const auto call = on(stream, [&] {
    const Status status = inner().fill(destination, value, bytes, stream);
    return status == Status::success ? broken_.after_write(inner(), written, stream) : status;
  });
  return status_of(Operation::fill, call, spoil_work(inner(), written, stream));
}

Status FaultDevice::launch(const device::KernelLaunch& launch, Stream stream) {
  const auto call = on(stream, [&] {
    const Status status = inner().launch(launch, stream);
    return status == Status::success ? broken_.after_launch(inner(), launch, stream) : status;
  });
  return status_of(Operation::launch_kernel, call, [&](ArmedRule& rule, auto& made) {
    const bool disturbs = rule.effect() == Effect::slow_multiprocessor || rule.effect() == Effect::wrong_multiprocessor;
    if (disturbs) return launch_disturbed(rule, launch, stream);
    if (rule.effect() != Effect::run_now) return spoil_work(inner(), first_written(launch), stream)(rule, made);
    const Status status = made();
    const bool recorded = status == Status::success && is_capturing(inner(), stream);
    return recorded && rule.claim() ? run_now(launch) : status;
  });
}

FaultDevice::Result<device::VendorLibrary> FaultDevice::math_library() {
  return value_of(
      Operation::math_library, [&] { return inner().math_library(); }, wrong_answer([](device::VendorLibrary& library) {
        library = {.name = library.name, .version = "", .problem = "cannot open shared object file"};
      }));
}

Status FaultDevice::multiply(const device::MatrixProduct& product, const device::ProductAlgorithm& algorithm,
                             const device::ProductOperands& operands, Stream stream) {
  const auto call = on(stream, [&] { return inner().multiply(product, algorithm, operands, stream); });
  return status_of(Operation::multiply, call, [&](ArmedRule& rule, auto& made) {
    if (rule.effect() == Effect::delay) return delayed(inner(), rule, stream, made);
    const Status status = made();
    if (status != Status::success || !can_spoil(product, rule.effect()) || !rule.claim()) return status;
    return spoil_product(inner(), product, operands.d, rule.effect(), stream);
  });
}

FaultDevice::Result<device::VendorLibrary> FaultDevice::collective_library() {
  return value_of(
      Operation::collective_library, [&] { return inner().collective_library(); },
      wrong_answer([](device::VendorLibrary& library) {
        library = {.name = library.name, .version = "", .problem = "cannot open shared object file"};
      }));
}

FaultDevice::Result<device::Communicator> FaultDevice::create_communicator(const std::vector<int>& ordinals) {
  return value_of(Operation::create_communicator, [&] {
    const Result<device::Communicator> created = handles_->created(inner().create_communicator(ordinals));
    if (created) remember(*created, ordinals, static_cast<int>(ordinals.size()));
    return created;
  });
}

FaultDevice::Result<device::Communicator> FaultDevice::join_communicator(const device::Seats& seats) {
  return value_of(Operation::join_communicator, [&] {
    const Result<device::Communicator> joined = handles_->created(inner().join_communicator(seats));
    if (joined) remember(*joined, seats.ordinals, seats.size);
    return joined;
  });
}

Status FaultDevice::destroy_communicator(device::Communicator communicator) {
  const auto destroy = [&] { return inner().destroy_communicator(communicator); };
  return status_of(Operation::destroy_communicator, [&] { return handles_->destroyed(communicator, destroy); });
}

void FaultDevice::remember(device::Communicator communicator, const std::vector<int>& ordinals, int ranks) {
  const auto own = std::ranges::find(ordinals, ordinal());
  const std::scoped_lock lock(places_mutex_);
  places_[communicator] = {.operands = static_cast<std::size_t>(own - ordinals.begin()), .ranks = ranks};
}

FaultDevice::Place FaultDevice::place_in(device::Communicator communicator) const {
  const std::scoped_lock lock(places_mutex_);
  return places_.at(communicator);
}

Status FaultDevice::communicate(device::Communicator communicator, const device::Collective& collective,
                                const std::vector<device::RankOperands>& operands) {
  const auto call = [&] { return inner().communicate(communicator, collective, operands); };
  return status_of(Operation::communicate, call, [&](ArmedRule& rule, auto& made) {
    const Place place = place_in(communicator);
    const device::RankOperands& own = operands.at(place.operands);
    if (rule.effect() == Effect::delay) return delayed(inner(), rule, own.stream, made);
    const Status status = made();
    const std::uint64_t bytes = received_bytes(collective, place.ranks);
    void* const byte = byte_at({.address = own.received, .bytes = bytes}, rule.place());
    if (status != Status::success || byte == nullptr || !rule.claim()) return status;
    return flip_bit(inner(), {.address = byte, .bytes = 1}, own.stream);
  });
}

Status FaultDevice::launch_disturbed(ArmedRule& rule, const device::KernelLaunch& launch, Stream stream) {
  if (!tells_multiprocessors_apart(launch) || !rule.claim()) return inner().launch(launch, stream);
  constexpr std::uint32_t multiprocessor = 1;
  const DisturbedLaunch disturbed(launch, {.multiprocessor = multiprocessor,
                                           .is_slow = rule.effect() == Effect::slow_multiprocessor,
                                           .is_wrong = rule.effect() == Effect::wrong_multiprocessor});
  return inner().launch(disturbed.get(), stream);
}

Status FaultDevice::run_now(const device::KernelLaunch& launch) {
  const device::RelaxedCapture relaxed(inner(), std::nothrow);
  const Result<Stream> stream = side_stream();
  if (!stream) return stream.error();
  const Status status = inner().launch(launch, *stream);
  return status == Status::success ? inner().synchronize(*stream) : status;
}

FaultDevice::Result<Stream> FaultDevice::side_stream() {
  const std::scoped_lock lock(side_stream_mutex_);
  if (!side_stream_) {
    const Result<Stream> created = inner().create_stream(device::StreamKind::non_blocking, 0);
    if (!created) return created;
    side_stream_ = device::UniqueStream(inner(), *created);
  }
  return side_stream_.get();
}

FaultDevice::Result<device::CaptureInfo> FaultDevice::capture_info(Stream stream) {
  return value_of(Operation::capture_info, on(stream, [&] { return inner().capture_info(stream); }),
                  wrong_answer([](device::CaptureInfo& info) { info = {}; }));
}

FaultDevice::Result<device::Graph> FaultDevice::end_capture(Stream stream) {
  const auto end = on(stream, [&] { return inner().end_capture(stream); });
  return value_of(Operation::end_capture, [&] { return handles_->created(end()); });
}

FaultDevice::Result<device::GraphExec> FaultDevice::instantiate(device::Graph graph) {
  return value_of(Operation::instantiate, [&] { return handles_->created(inner().instantiate(graph)); });
}

Status FaultDevice::destroy_graph(device::Graph graph) {
  const auto destroy = [&] { return inner().destroy_graph(graph); };
  return status_of(Operation::destroy_graph, [&] { return handles_->destroyed(graph, destroy); });
}

Status FaultDevice::destroy_executable(device::GraphExec executable) {
  const auto destroy = [&] { return inner().destroy_executable(executable); };
  return status_of(Operation::destroy_executable, [&] { return handles_->destroyed(executable, destroy); });
}

FaultDevice::Result<std::size_t> FaultDevice::node_count(device::Graph graph) {
  return value_of(
      Operation::node_count, [&] { return inner().node_count(graph); },
      wrong_answer([](std::size_t& count) { count = count == 0 ? 1 : 0; }));
}

std::string FaultDevice::error_text(Status status) const {
  return next(Operation::error_text) != nullptr ? "unknown error" : inner().error_text(status);
}

FaultDevice::Result<bool> FaultDevice::can_access_peer(int peer_ordinal) {
  return value_of(
      Operation::can_access_peer, [&] { return inner().can_access_peer(peer_ordinal); },
      wrong_answer([](bool& can) { can = !can; }));
}

}  // namespace gpucheck::fault
