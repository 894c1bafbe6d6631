#pragma once

#include <concepts>
#include <utility>

namespace gpucheck {

/// What `unique_handle` needs to know about a raw handle: its type, the owner that
/// can destroy it, and how. `destroy` must not throw.
template <typename Traits>
concept HandleTraits = requires(typename Traits::Owner& owner, typename Traits::Handle handle) {
  { Traits::destroy(owner, handle) }
  noexcept;
};

/// Sole owner of one raw handle. Moves, never copies; destroys exactly once.
/// Not thread-safe, like any value. The owner must outlive the handle.
template <HandleTraits Traits>
class unique_handle {
 public:
  using Owner = typename Traits::Owner;
  using Handle = typename Traits::Handle;

  unique_handle() = default;
  unique_handle(Owner& owner, Handle handle) noexcept : owner_(&owner), handle_(handle) {}
  unique_handle(unique_handle&& other) noexcept
      : owner_(std::exchange(other.owner_, nullptr)), handle_(std::exchange(other.handle_, {})) {}
  unique_handle& operator=(unique_handle&& other) noexcept {
    unique_handle(std::move(other)).swap(*this);
    return *this;
  }
  unique_handle(const unique_handle&) = delete;
  unique_handle& operator=(const unique_handle&) = delete;
  ~unique_handle() { reset(); }

  [[nodiscard]] Handle get() const noexcept { return handle_; }
  [[nodiscard]] explicit operator bool() const noexcept { return owner_ != nullptr; }

  /// Releases ownership: returns the handle without destroying it.
  [[nodiscard]] Handle release() noexcept {
    owner_ = nullptr;
    return std::exchange(handle_, {});
  }
  void reset() noexcept {
    if (Owner* owner = std::exchange(owner_, nullptr)) Traits::destroy(*owner, std::exchange(handle_, {}));
  }
  void swap(unique_handle& other) noexcept {
    std::swap(owner_, other.owner_);
    std::swap(handle_, other.handle_);
  }

 private:
  Owner* owner_ = nullptr;
  Handle handle_{};
};

}  // namespace gpucheck
