#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cases/shared/kernels/memtest.hpp"
#include "device/check.hpp"
#include "device/launch.hpp"
#include "device/owned.hpp"
#include "device/turns.hpp"
#include "runtime/runtime.hpp"

/// Passes over memory under test, and what they found.
namespace gpucheck::cases::in_memtest {

using device::kernels::TestedMemory;

/// Combined with a pattern's words by exclusive or: the pattern itself, or its complement.
inline constexpr std::uint64_t as_it_is = 0;
inline constexpr std::uint64_t complemented = ~std::uint64_t{0};

/// How much passes of one kind moved, and how long they took on the device.
struct Traffic {
  std::uint64_t bytes = 0;  ///< read and written
  double ms = 0;
  /// 10^9 bytes a second; 0 where no time was measured.
  [[nodiscard]] double gbps() const { return ms > 0 ? static_cast<double>(bytes) / ms / 1e6 : 0; }
};

struct Findings {
  device::kernels::MismatchLog log;
  std::vector<std::uint64_t> compared_bytes;  ///< of each comparing pass, as the device counted them
  Traffic write;
  Traffic verify;   ///< passes that read and compare
  Traffic replace;  ///< passes that read, compare and write the complement in place
};

/// One line for people: where, what was expected, what was seen, twice, and on which multiprocessor.
std::string to_text(const device::kernels::MemoryMismatch& mismatch, std::span<const TestedMemory> memory);

/// Passes over memory on one stream, each over all stretches that it is given. What they find is left on the device
/// until `finish`. One thread at a time.
class Passes {
 public:
  /// Memory for a log and for the counters of so many comparing passes. @throws DeviceError, as all of this does.
  Passes(runtime::Runtime& runtime, device::Stream stream, std::size_t comparing_passes);

  template <typename Pattern>
  void write(std::span<const TestedMemory> memory, const Pattern& pattern) {
    timed(Kind::write, memory, [&](const TestedMemory& stretch) {
      launch(device::kernels::WritePattern<Pattern>{stretch, pattern}, stretch);
    });
  }
  /// Compares, and writes the complement of what was expected.
  template <typename Pattern>
  void replace(std::span<const TestedMemory> memory, const Pattern& pattern, std::uint64_t complement) {
    compare<Pattern, true>(Kind::replace, memory, pattern, complement);
  }
  template <typename Pattern>
  void verify(std::span<const TestedMemory> memory, const Pattern& pattern, std::uint64_t complement) {
    compare<Pattern, false>(Kind::verify, memory, pattern, complement);
  }
  /// A moving inversion: the pattern is written, compared and replaced by its complement, and that compared. Two
  /// comparing passes.
  template <typename Pattern>
  void invert(std::span<const TestedMemory> memory, const Pattern& pattern) {
    write(memory, pattern);
    replace(memory, pattern, as_it_is);
    verify(memory, pattern, complemented);
  }

  /// Waits for all passes.
  [[nodiscard]] Findings finish();

 private:
  enum class Kind { write, verify, replace };
  struct Pass {
    Kind kind;
    std::uint64_t bytes;
    device::UniqueEvent start;
    device::UniqueEvent stop;
  };
  /// A pass between two events.
  template <typename Launch>
  void timed(Kind kind, std::span<const TestedMemory> memory, Launch launch) {
    begin_pass(kind, memory);
    for (const TestedMemory& stretch : memory) launch(stretch);
    device::check(device_, device_.record(passes_.back().stop.get(), stream_), "record");
  }
  void begin_pass(Kind kind, std::span<const TestedMemory> memory);
  template <typename Pattern, bool replaces>
  void compare(Kind kind, std::span<const TestedMemory> memory, const Pattern& pattern, std::uint64_t complement) {
    const std::size_t pass = next_comparing_pass();
    timed(kind, memory, [&](const TestedMemory& stretch) {
      using Compare = device::kernels::ComparePattern<Pattern, replaces>;
      launch(Compare{stretch, pattern, complement, static_cast<std::uint32_t>(pass), log(), compared() + pass},
             stretch);
    });
  }
  template <typename Kernel>
  void launch(const Kernel& kernel, const TestedMemory& stretch) {
    constexpr std::size_t loads = device::kernels::memtest_loads;
    const std::size_t count = passes_.back().kind == Kind::verify
                                  ? device::invocations_that_read(stretch.vectors, loads, device_.properties())
                                  : device::invocations_that_write(stretch.vectors, loads);
    device::check(device_, device::launch(device_, kernel, count, stream_), Kernel::name);
  }
  /// @throws Error beyond the number that there are counters for.
  [[nodiscard]] std::size_t next_comparing_pass();
  [[nodiscard]] device::kernels::MismatchLog* log() const;
  [[nodiscard]] device::kernels::SpreadCounter* compared() const;

  runtime::Runtime& runtime_;
  device::Device& device_;
  device::Stream stream_;
  std::size_t comparing_passes_;
  std::size_t passes_begun_ = 0;
  device::UniqueDeviceMemory evidence_;  ///< the log, and behind it the counters
  std::vector<Pass> passes_;
};

}  // namespace gpucheck::cases::in_memtest
