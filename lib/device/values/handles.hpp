#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace gpucheck::device {

/// A raw handle as a device made it: a value, no ownership (see `owned.hpp`
/// for owners). Handles of different kinds do not convert into each other.
template <typename Tag>
struct Handle {
  std::uintptr_t value = 0;
  auto operator<=>(const Handle&) const = default;
  /// False for the zero handle. For a stream, zero is the default stream.
  explicit operator bool() const noexcept { return value != 0; }
};

using Stream = Handle<struct StreamTag>;
using Event = Handle<struct EventTag>;
using Graph = Handle<struct GraphTag>;
using GraphNode = Handle<struct GraphNodeTag>;
using GraphExec = Handle<struct GraphExecTag>;
using Communicator = Handle<struct CommunicatorTag>;

/// The legacy default stream: it waits for, and is waited for by, all streams that
/// were created without `StreamKind::non_blocking`.
inline constexpr Stream legacy_default_stream{0};

}  // namespace gpucheck::device

template <typename Tag>
struct std::hash<gpucheck::device::Handle<Tag>> {
  std::size_t operator()(const gpucheck::device::Handle<Tag>& handle) const noexcept {
    return std::hash<std::uintptr_t>{}(handle.value);
  }
};
