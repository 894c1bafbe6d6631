#include "tensor/core/storage.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "base/error.hpp"
#include "device/check.hpp"

namespace gpucheck::tensor {
namespace {

/// What the compiler's vectors and a device's copies like best.
constexpr std::align_val_t host_alignment{64};

}  // namespace

struct Storage::Block {
  Block(std::size_t size, Device where) : bytes(size), device(where) {
    if (bytes == 0) return;
    if (device.is_host()) {
      data = ::operator new(bytes, host_alignment);
    } else {
      runtime::Runtime& runtime = device.runtime();
      data = runtime.allocator().allocate(bytes, runtime.current_stream());
    }
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() { release(); }

  void release() noexcept {
    void* const freed = std::exchange(data, nullptr);
    bytes = 0;
    if (is_adopted) {
      if (const auto call = std::exchange(on_release, {})) call();
    } else if (freed != nullptr && pinned_by != nullptr) {
      pinned_by->pinned_allocator().free_without_throwing(pinned_context);
    } else if (freed != nullptr && device.is_host()) {
      ::operator delete(freed, host_alignment);
    } else if (freed != nullptr) {
      device.runtime().allocator().free_without_throwing(freed);
    }
  }

  void* data = nullptr;
  std::size_t bytes;
  Device device;
  runtime::Runtime* pinned_by = nullptr;
  void* pinned_context = nullptr;
  std::atomic<std::uint64_t> version{0};
  bool is_adopted = false;
  std::function<void()> on_release = {};
  std::optional<std::string> refusal = {};
};

Storage::Storage(std::size_t bytes, Device device) : block_(std::make_shared<Block>(bytes, device)) {}

Storage Storage::pinned(std::size_t bytes, runtime::Runtime& runtime) {
  auto block = std::make_shared<Block>(0, host);
  const auto allocation = runtime.pinned_allocator().allocate(bytes, runtime.current_stream());
  block->data = allocation.pointer;
  block->pinned_context = allocation.context;
  block->pinned_by = &runtime;
  block->bytes = bytes;
  return Storage(std::move(block));
}

Storage Storage::adopted(void* data, std::size_t bytes, Device device, std::function<void()> release) {
  auto block = std::make_shared<Block>(0, device);
  block->data = data;
  block->bytes = bytes;
  block->is_adopted = true;
  block->on_release = std::move(release);
  return Storage(std::move(block));
}

void* Storage::data() const {
  if (block_->refusal) throw Error(*block_->refusal);
  return block_->data;
}
std::size_t Storage::bytes() const noexcept { return block_->bytes; }
Device Storage::device() const noexcept { return block_->device; }
runtime::Runtime* Storage::pinned_by() const noexcept { return block_->pinned_by; }

void Storage::resize(std::size_t bytes) const {
  Block& block = *block_;
  if (block.is_adopted) throw Error("Trying to resize storage that is not resizable");
  const Storage other = block.pinned_by != nullptr ? pinned(bytes, *block.pinned_by) : Storage(bytes, block.device);
  if (const std::size_t kept = std::min(bytes, block.bytes); kept > 0) {
    if (block.device.is_host()) {
      std::memcpy(other.block_->data, block.data, kept);
    } else {
      runtime::Runtime& runtime = block.device.runtime();
      device::check(runtime.device().copy(other.block_->data, block.data, kept, device::CopyKind::device_to_device,
                                          runtime.current_stream()),
                    "copy");
    }
  }
  std::swap(block.data, other.block_->data);
  std::swap(block.bytes, other.block_->bytes);
  std::swap(block.pinned_context, other.block_->pinned_context);
}

void Storage::release_memory() const noexcept { block_->release(); }

std::uint64_t Storage::version() const noexcept { return block_->version.load(std::memory_order_relaxed); }
void Storage::count_write() const noexcept { block_->version.fetch_add(1, std::memory_order_relaxed); }

void Storage::refuse_access(std::optional<std::string> text) const { block_->refusal = std::move(text); }

}  // namespace gpucheck::tensor
