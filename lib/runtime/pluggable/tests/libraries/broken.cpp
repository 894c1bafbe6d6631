// Allocator libraries with one mistake each: PLUGGABLE_DEFECT names it. All else is done
// as the good one does it.

#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <unistd.h>
#include <vector>

#include "device_memory.hpp"

namespace {

using pluggable::device_memory;

enum class Defect {
  overlap,
  misaligned,
  zero,
  overflow,
  aborts,
  never_recovers,
  threads,
  streams,
  capture,
  leak,
  leak_page,
  double_free,
  exits,
  throws,
  throws_at_free,
  throws_at_load,
  hangs,
  forks,
};
constexpr Defect defect = Defect::PLUGGABLE_DEFECT;

std::mutex mutex;
std::map<std::size_t, std::vector<void*>> kept;  // by size
std::map<void*, std::thread::id> owners;
bool has_failed = false;

/// Blocks that begin 512 bytes apart, however long they are.
void* overlapping() {
  constexpr std::size_t step = 512;
  constexpr std::size_t slab_bytes = std::size_t{64} << 20U;
  static void* slab = nullptr;
  static std::size_t next = 0;
  if (slab == nullptr) slab = device_memory.allocate(slab_bytes);
  return static_cast<std::byte*>(slab) + step * (next++ % 64);
}

void* kept_block(std::size_t bytes) {
  std::vector<void*>& blocks = kept[bytes];
  if (blocks.empty()) return nullptr;
  void* const block = blocks.back();
  blocks.pop_back();
  return block;
}

constexpr std::size_t misalignment = 8;

void* allocate_from_device(std::size_t bytes) {
  void* const pointer = device_memory.allocate(bytes);
  if (pointer != nullptr) return pointer;
  if constexpr (defect == Defect::aborts) std::abort();
  has_failed = true;
  return nullptr;
}

/// A process of its own session, which outlives this one unless somebody looks for it. It
/// leaves its number in the file that GPUCHECK_TEST_ORPHANS names.
const bool has_forked = [] {
  const char* const path = std::getenv("GPUCHECK_TEST_ORPHANS");
  std::array<int, 2> ready{};
  if (defect != Defect::forks || path == nullptr || ::pipe(ready.data()) != 0) return false;
  if (::fork() != 0) {
    char byte = 0;  // until the number is there: the run may be over before
    return ::close(ready[1]) == 0 && ::read(ready[0], &byte, 1) < 0;
  }
  ::setsid();
  std::ofstream(path, std::ios::app) << ::getpid() << std::endl;
  ::close(ready[1]);
  ::sleep(600);
  ::_exit(0);
}();

void* allocate(std::size_t bytes) {
  switch (defect) {
    case Defect::exits:
      std::exit(0);
    case Defect::throws:
      throw std::runtime_error("my library has no more");
    case Defect::hangs:
      while (true) ::pause();
    case Defect::overlap:
      return bytes > (std::size_t{32} << 20U) ? allocate_from_device(bytes) : overlapping();
    case Defect::misaligned: {
      void* const pointer = allocate_from_device(bytes + misalignment);
      return pointer == nullptr ? nullptr : static_cast<std::byte*>(pointer) + misalignment;
    }
    case Defect::overflow:
      return allocate_from_device((bytes + 511) / 512 * 512 + 512);
    case Defect::never_recovers:
      return has_failed ? nullptr : allocate_from_device(bytes);
    case Defect::threads:
    case Defect::streams:
      if (void* const block = kept_block(bytes)) return block;
      return allocate_from_device(bytes);
    case Defect::leak_page:
      static_cast<void>(device_memory.allocate(4096));
      return allocate_from_device(bytes);
    case Defect::capture:
      return device_memory.wait_for_all() ? allocate_from_device(bytes) : nullptr;
    default:
      return allocate_from_device(bytes);
  }
}

void release(void* pointer, std::size_t bytes) {
  switch (defect) {
    case Defect::overlap:
    case Defect::leak:
      return;
    case Defect::throws_at_free:
      throw std::runtime_error("my library has no more");
    case Defect::misaligned:
      if (device_memory.wait_for_all()) device_memory.free(static_cast<std::byte*>(pointer) - misalignment);
      return;
    case Defect::double_free:
      if (!device_memory.wait_for_all()) return;
      device_memory.free(pointer);
      device_memory.free(pointer);
      return;
    case Defect::threads:
      // Entered by the thread that frees and, to be sure, for the one that allocated.
      if (owners[pointer] != std::this_thread::get_id()) kept[bytes].push_back(pointer);
      kept[bytes].push_back(pointer);
      return;
    case Defect::streams:
      kept[bytes].push_back(pointer);
      return;
    default:
      if (device_memory.wait_for_all()) device_memory.free(pointer);
  }
}

// NOLINTNEXTLINE(cert-err58-cpp): that it throws is the mistake
[[maybe_unused]] const bool is_loaded = [] {
  if (defect == Defect::throws_at_load) throw std::runtime_error("my library has no more");
  return true;
}();

}  // namespace

extern "C" void* my_malloc(std::size_t bytes, int /*device*/, void* /*stream*/) {
  const std::scoped_lock lock(mutex);
  if (bytes == 0) return defect == Defect::zero ? &has_failed : nullptr;
  void* const pointer = allocate(bytes);
  owners[pointer] = std::this_thread::get_id();
  return pointer;
}

extern "C" void my_free(void* pointer, std::size_t bytes, int /*device*/, void* /*stream*/) {
  const std::scoped_lock lock(mutex);
  if (pointer != nullptr && bytes != 0) release(pointer, bytes);
}
