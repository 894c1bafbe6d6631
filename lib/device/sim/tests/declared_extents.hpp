#pragma once

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <new>
#include <optional>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "device/kernels/support/family.hpp"

// What a kernel states to read and write is what it touches, from the first byte to the
// last: races and bounds are judged by nothing else. Each array lies between pages that
// nobody may touch, either beginning or ending where such a page does.
namespace gpucheck::device::kernels {
inline constexpr std::size_t page_bytes = 4096;

/// An array of zeros beside a page that may not be touched.
class GuardedArray {
 public:
  enum class Side { begin, end };

  /// With `over_edge` the element at that side lies beyond it.
  GuardedArray(std::size_t bytes, std::size_t element_bytes, Side side, bool over_edge)
      : pages_((bytes + page_bytes - 1) / page_bytes) {
    mapping_ = ::mmap(nullptr, (pages_ + 2) * page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping_ == MAP_FAILED) throw std::bad_alloc();
    protect(PROT_READ | PROT_WRITE);
    std::byte* const first = static_cast<std::byte*>(mapping_) + page_bytes;
    const std::size_t beyond = over_edge ? element_bytes : 0;
    data_ = side == Side::begin ? first - beyond : first + pages_ * page_bytes - bytes + beyond;
  }
  GuardedArray(const GuardedArray&) = delete;
  GuardedArray& operator=(const GuardedArray&) = delete;
  ~GuardedArray() { ::munmap(mapping_, (pages_ + 2) * page_bytes); }

  [[nodiscard]] void* data() const { return data_; }
  void protect(int protection) const {
    ASSERT_EQ(::mprotect(static_cast<std::byte*>(mapping_) + page_bytes, pages_ * page_bytes, protection), 0);
  }

 private:
  std::size_t pages_;
  void* mapping_ = nullptr;
  std::byte* data_ = nullptr;
};

/// The arrays of one kernel, in the order in which it states them.
class Arrays {
 public:
  using Side = GuardedArray::Side;
  /// `over_edge`: which of them lies one element too far.
  explicit Arrays(Side side, std::optional<std::size_t> over_edge = {}) : side_(side), over_edge_(over_edge) {}

  template <typename T>
  T* add(std::size_t count) {
    bytes_.push_back(count * sizeof(T));
    arrays_.push_back(std::make_unique<GuardedArray>(bytes_.back(), sizeof(T), side_, over_edge_ == arrays_.size()));
    return static_cast<T*>(arrays_.back()->data());
  }

  [[nodiscard]] std::size_t size() const { return arrays_.size(); }
  [[nodiscard]] std::size_t bytes(std::size_t index) const { return bytes_[index]; }
  [[nodiscard]] const GuardedArray& operator[](std::size_t index) const { return *arrays_[index]; }

 private:
  Side side_;
  std::optional<std::size_t> over_edge_;
  std::vector<std::size_t> bytes_;
  std::vector<std::unique_ptr<GuardedArray>> arrays_;
};

/// Whether `body` ends in a child process without touching what it may not.
inline bool survives(const std::function<void()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGSEGV, SIG_DFL);
    std::signal(SIGBUS, SIG_DFL);
    body();
    ::_exit(0);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// A launch, and how to make its kernel for given arrays.
template <typename Functor>
struct Launch {
  Functor (*make)(Arrays& arrays);
  std::size_t count = 1;
  BlockShape block{};
  std::size_t always_touched = 3;  ///< the arrays after these are touched by chance
};

template <typename Functor>
bool runs(const Launch<Functor>& launch, const Functor& functor) {
  return survives([&] {
    FailedAssertion failed;
    kernel<Functor>.run_on_host(&functor, launch.count, launch.block, failed);
  });
}

template <typename Functor>
void expect_exact(const Launch<Functor>& launch) {
  SCOPED_TRACE(Functor::name);
  for (const auto side : {Arrays::Side::begin, Arrays::Side::end}) {
    SCOPED_TRACE(side == Arrays::Side::begin ? "at its begin" : "at its end");
    Arrays arrays(side);
    const Functor functor = launch.make(arrays);
    const auto accesses = functor.accesses(launch.count);
    ASSERT_EQ(accesses.size(), arrays.size());
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      EXPECT_EQ(accesses[i].address, arrays[i].data()) << "access " << i;
      EXPECT_EQ(extent_bytes(accesses[i]), arrays.bytes(i)) << "access " << i;
      if (accesses[i].mode == AccessMode::read) arrays[i].protect(PROT_READ);
    }
    EXPECT_TRUE(runs(launch, functor)) << "touches more than it states";
    for (std::size_t i = 0; i < std::min(accesses.size(), launch.always_touched); ++i) {
      Arrays moved(side, i);
      EXPECT_FALSE(runs(launch, launch.make(moved))) << "does not touch all that it states in access " << i;
      if (accesses[i].mode == AccessMode::read) continue;
      arrays[i].protect(PROT_READ);
      EXPECT_FALSE(runs(launch, functor)) << "does not write in access " << i;
      arrays[i].protect(PROT_READ | PROT_WRITE);
    }
  }
}

}  // namespace gpucheck::device::kernels
