#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <tuple>
#include <unordered_set>

#include "device/values/handles.hpp"
#include "device/values/status.hpp"

namespace gpucheck::device {

/// Handles that were created and not destroyed.
struct LiveHandles {
  std::size_t streams = 0;
  std::size_t events = 0;
  std::size_t graphs = 0;
  std::size_t executables = 0;  ///< instantiated graphs
  std::size_t communicators = 0;
  bool operator==(const LiveHandles&) const = default;
};

/// What there is of each kind: "1 stream, 2 events"; "none".
std::string to_text(const LiveHandles& live);

/// Knows which handles are live, informed call by call. Thread-safe.
class HandleLedger {
 public:
  /// Passes on what a call came back with; a handle of zero is none.
  template <typename Tag>
  Result<Handle<Tag>> created(Result<Handle<Tag>> result) {
    if (result && *result) add(*result);
    return result;
  }

  /// Makes a call that destroys `handle`. The handle is taken out first: once it is
  /// destroyed, another thread may get the same one.
  template <typename Tag, typename Destroy>
  Status destroyed(Handle<Tag> handle, Destroy destroy) {
    const bool was_live = remove(handle);
    const Status status = destroy();
    if (status != Status::success && was_live) add(handle);
    return status;
  }

  [[nodiscard]] LiveHandles live() const;

 private:
  template <typename Tag>
  void add(Handle<Tag> handle) {
    const std::scoped_lock lock(mutex_);
    std::get<std::unordered_set<Handle<Tag>>>(handles_).insert(handle);
  }
  template <typename Tag>
  bool remove(Handle<Tag> handle) {
    const std::scoped_lock lock(mutex_);
    return std::get<std::unordered_set<Handle<Tag>>>(handles_).erase(handle) != 0;
  }

  mutable std::mutex mutex_;
  std::tuple<std::unordered_set<Stream>, std::unordered_set<Event>, std::unordered_set<Graph>,
             std::unordered_set<GraphExec>, std::unordered_set<Communicator>>
      handles_;
};

}  // namespace gpucheck::device
