#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/splitmix.hpp"
#include "cases/shared/passes_support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "harness/case/context.hpp"

/// What the memory tests share. Each gives its passes over memory; what they found is observed the same way everywhere.
namespace gpucheck::cases::in_memtest {

/// Memory that a test has to itself, in as few pieces as the device gives.
class HeldMemory {
 public:
  /// So many bytes, rounded down to whole pages of 4 KiB, or as many as there are. Pieces are halved until they fit.
  /// @throws DeviceError for anything but a lack of memory.
  HeldMemory(device::Device& device, std::uint64_t bytes);

  [[nodiscard]] const std::vector<TestedMemory>& stretches() const noexcept { return stretches_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  bool add_piece(device::Device& device, std::uint64_t bytes);

  std::vector<device::UniqueDeviceMemory> pieces_;
  std::vector<TestedMemory> stretches_;
  std::uint64_t bytes_ = 0;
};

/// How much memory a case is to test, and how much of it it tries to get: a little less, of all that is free.
struct Wanted {
  std::uint64_t offered = 0;
  std::uint64_t allocated = 0;
};

/// What has been through a test whose passes compared so much each: what only some of them have seen has not.
[[nodiscard]] std::uint64_t bytes_tested(std::span<const std::uint64_t> compared_bytes);

/// A test on the device of a case: passes, and the memory they go over.
class MemoryTest {
 public:
  MemoryTest(harness::Context& context, std::size_t comparing_passes);

  [[nodiscard]] Passes& passes() noexcept { return passes_; }
  [[nodiscard]] const std::vector<TestedMemory>& memory() const noexcept { return memory_.stretches(); }
  [[nodiscard]] device::Device& device() noexcept { return context_.device(); }
  [[nodiscard]] device::Stream stream() const noexcept { return stream_; }

  template <typename Pattern>
  void write(const Pattern& pattern) {
    passes_.write(memory(), pattern);
  }
  template <typename Pattern>
  void replace(const Pattern& pattern, std::uint64_t complement) {
    passes_.replace(memory(), pattern, complement);
  }
  template <typename Pattern>
  void verify(const Pattern& pattern, std::uint64_t complement) {
    passes_.verify(memory(), pattern, complement);
  }

  /// Waits for the passes and observes what they found.
  void observe();

 private:
  harness::Context& context_;
  device::Stream stream_;
  Passes passes_;  ///< its log is allocated before the memory
  Wanted wanted_;
  HeldMemory memory_;
};

/// A case's whole work: a moving inversion with each of the patterns.
template <typename Pattern>
void test_by_inversions(harness::Context& context, const std::vector<Pattern>& patterns) {
  MemoryTest test(context, 2 * patterns.size());
  for (const Pattern& pattern : patterns) test.passes().invert(test.memory(), pattern);
  test.observe();
}

/// The n-th of a case's random words.
inline std::uint64_t random_word(const harness::Context& context, std::uint64_t n) {
  return splitmix(context.seed() + n);
}

/// How much memory is tested.
harness::Parameter bytes_parameter();

/// The device for itself: almost all of its memory is taken.
inline harness::Needs memory_needs() { return {.exclusive = true}; }

/// Defects that every pattern shows, and the failures that leave memory untested. The first allocation is the log's,
/// the second the memory's; the first kernel writes, the second replaces, the third verifies.
std::vector<harness::Fault> memory_faults();
/// Those, and an address line that does nothing, which patterns show whose words differ from place to place.
std::vector<harness::Fault> memory_and_address_faults();

/// What all of them have in common. `run` and the faults are the case's own.
harness::Case memory_case(std::string name, std::string summary, std::string source);

}  // namespace gpucheck::cases::in_memtest
