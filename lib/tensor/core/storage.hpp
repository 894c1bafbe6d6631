#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tensor/core/device.hpp"

namespace gpucheck::tensor {

/// Memory that tensors share: a block of a runtime's allocator, pageable or pinned memory of the host, or somebody
/// else's. A handle; copies are the same storage, whose memory goes with the last of them. The version counts what was
/// written in place. Handles may be used by any thread; whoever writes and reads the memory sees to the order.
class Storage {
 public:
  /// None.
  Storage() noexcept = default;
  /// New memory, whose contents are undefined: on a device a block for the current stream of the calling thread.
  /// @throws OutOfMemoryError, DeviceError; std::bad_alloc on the host.
  Storage(std::size_t bytes, Device device);
  /// Page-locked memory of the host, from that runtime's allocator. @throws DeviceError, Error.
  static Storage pinned(std::size_t bytes, runtime::Runtime& runtime);
  /// Somebody else's memory. `release` is called once nobody shares it.
  static Storage adopted(void* data, std::size_t bytes, Device device, std::function<void()> release = {});

  [[nodiscard]] explicit operator bool() const noexcept { return block_ != nullptr; }
  bool operator==(const Storage&) const noexcept = default;

  /// The first byte; null for no bytes. @throws Error where access is refused.
  [[nodiscard]] void* data() const;
  [[nodiscard]] std::size_t bytes() const noexcept;
  [[nodiscard]] Device device() const noexcept;
  /// The runtime whose page-locked memory this is; null for all other memory.
  [[nodiscard]] runtime::Runtime* pinned_by() const noexcept;

  /// Other memory, with what fits of the contents. On a device the copy is ordered by the current stream.
  /// @throws as the constructor does; Error for memory that was adopted.
  void resize(std::size_t bytes) const;
  /// Gives the memory back at once; the storage has no bytes then.
  void release_memory() const noexcept;

  /// How often it was written in place.
  [[nodiscard]] std::uint64_t version() const noexcept;
  void count_write() const noexcept;

  /// From now on `data` throws this text; nothing allows access again.
  void refuse_access(std::optional<std::string> text) const;

  /// How many handles share it.
  [[nodiscard]] long use_count() const noexcept { return block_.use_count(); }
  /// The same number for every handle of one storage while there is one.
  [[nodiscard]] std::uintptr_t identity() const noexcept { return reinterpret_cast<std::uintptr_t>(block_.get()); }

 private:
  friend class WeakStorage;
  struct Block;
  explicit Storage(std::shared_ptr<Block> block) noexcept : block_(std::move(block)) {}

  std::shared_ptr<Block> block_;
};

/// Watches a storage without keeping it alive.
class WeakStorage {
 public:
  WeakStorage() noexcept = default;
  explicit WeakStorage(const Storage& storage) noexcept : block_(storage.block_) {}
  [[nodiscard]] bool is_alive() const noexcept { return !block_.expired(); }
  /// The storage; none once it is gone.
  [[nodiscard]] Storage lock() const noexcept { return Storage(block_.lock()); }

 private:
  std::weak_ptr<Storage::Block> block_;
};

}  // namespace gpucheck::tensor
