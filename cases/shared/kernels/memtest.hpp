#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cases/shared/kernels/support/patterns.hpp"
#include "cases/shared/kernels/support/spread_counter.hpp"
#include "device/kernels/support/family.hpp"
#include "device/kernels/support/thread.hpp"
#include "device/kernels/support/unroll.hpp"
#include "device/kernels/support/vectors.hpp"
#include "device/values/kernel.hpp"

/// Memory tests: kernels that write a pattern, compare memory with it, and put its complement in its place. Each
/// invocation takes every n-th vector, several at a time, and at its end adds to counters: how many to launch is what
/// device/turns.hpp says.
namespace gpucheck::device::kernels {

/// A word that was not what had been written.
struct MemoryMismatch {
  std::uint64_t address = 0;
  std::uint64_t expected = 0;
  std::uint64_t seen = 0;
  std::uint64_t seen_again = 0;  ///< read once more at once, not from the multiprocessor's own cache
  std::uint32_t pass = 0;
  std::uint32_t multiprocessor = 0;  ///< that read it, as `Invocation::multiprocessor` says it
};

/// What all passes of a test found. Zeros before the first.
struct MismatchLog {
  static constexpr std::uint64_t capacity = 64;
  static constexpr std::uint64_t examined_limit = std::uint64_t{1} << 20;
  std::uint64_t mismatches = 0;      ///< words, all of them
  std::uint64_t examined = 0;        ///< of them: those whose bits were counted, few more than the limit at most
  std::uint64_t flipped[64] = {};    ///< how many of those differ in a bit
  MemoryMismatch records[capacity];  ///< the first of them
};

/// Memory under test: a stretch of a pattern.
struct TestedMemory {
  TwoWords* data = nullptr;
  std::uint64_t vectors = 0;
  std::uint64_t first = 0;  ///< number, in the pattern, of the first vector

  [[nodiscard]] std::size_t bytes() const { return vectors * sizeof(TwoWords); }
  template <typename Pattern>
  GPUCHECK_HOST_DEVICE TwoWords expected(const Pattern& pattern, std::uint64_t at, std::uint64_t complement) const {
    const TwoWords words = pattern.at(first + at, reinterpret_cast<std::uintptr_t>(data + at));
    return {{words.lanes[0] ^ complement, words.lanes[1] ^ complement}};
  }
};

/// Vectors that an invocation loads before it looks at the first of them.
inline constexpr std::uint64_t memtest_loads = 4;

/// Writes a pattern.
template <typename Pattern>
struct WritePattern {
  static constexpr std::string_view name = "write_pattern";
  TestedMemory memory;
  Pattern pattern;
  [[nodiscard]] std::array<MemoryAccess, 1> accesses(std::size_t) const {
    return {writes(memory.data, memory.bytes())};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    std::uint64_t at = thread.index;
    for (; at + (memtest_loads - 1) * thread.count < memory.vectors; at += memtest_loads * thread.count) {
      GPUCHECK_UNROLL
      for (std::uint64_t i = 0; i < memtest_loads; ++i) write(at + i * thread.count);
    }
    for (; at < memory.vectors; at += thread.count) write(at);
  }
  GPUCHECK_HOST_DEVICE void write(std::uint64_t at) const { memory.data[at] = memory.expected(pattern, at, 0); }
};

namespace detail {

/// Leaves a word that is not as expected in the log. Never part of the loop that finds it, whose registers it would
/// cost. Where all memory is wrong, counting the bits of each word would take minutes: there is a limit.
GPUCHECK_HOST_DEVICE GPUCHECK_NOINLINE inline void examine(MismatchLog* log, const std::uint64_t* word,
                                                           std::uint64_t expected, std::uint64_t seen,
                                                           std::uint32_t pass) {
  const Invocation self;
  const std::uint64_t seen_again = self.read_again(word);
  if (self.read_again(&log->examined) >= MismatchLog::examined_limit) return;
  const std::uint64_t number = self.atomic_add(&log->examined, 1);
  for (unsigned bit = 0; bit < 64; ++bit) {
    if (((expected ^ seen) >> bit & 1U) != 0) self.atomic_add(&log->flipped[bit], 1);
  }
  if (number >= MismatchLog::capacity) return;
  log->records[number] = {
      reinterpret_cast<std::uintptr_t>(word), expected, seen, seen_again, pass, self.multiprocessor()};
}

}  // namespace detail

/// Compares memory with a pattern, or with its complement, and with `replace` writes the
/// other of the two in its place.
template <typename Pattern, bool replace>
struct ComparePattern {
  static constexpr std::string_view name = replace ? "replace_pattern" : "verify_pattern";
  TestedMemory memory;
  Pattern pattern;
  std::uint64_t complement;       ///< what the words expected are combined with, by exclusive or: 0, or all bits
  std::uint32_t pass;             ///< for the log
  MismatchLog* log;               ///< what is found is added
  SpreadCounter* compared_bytes;  ///< likewise

  [[nodiscard]] std::array<MemoryAccess, 3> accesses(std::size_t) const {
    const MemoryAccess tested = replace ? updates(memory.data, memory.bytes()) : reads(memory.data, memory.bytes());
    return {tested, updates(compared_bytes, sizeof(*compared_bytes)), updates(log, sizeof(*log))};
  }

  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    std::uint64_t compared = 0;
    std::uint64_t wrong = 0;
    std::uint64_t at = thread.index;
    for (; at + (memtest_loads - 1) * thread.count < memory.vectors; at += memtest_loads * thread.count) {
      wrong += take_turn<memtest_loads>(thread, at);
      compared += memtest_loads * sizeof(TwoWords);
    }
    for (; at < memory.vectors; at += thread.count) {
      wrong += take_turn<1>(thread, at);
      compared += sizeof(TwoWords);
    }
    compared_bytes->add(thread, compared);
    if (wrong != 0) thread.atomic_add(&log->mismatches, wrong);
  }

 private:
  /// `loads` vectors, as many apart as there are invocations; how many words were wrong.
  template <std::uint64_t loads>
  GPUCHECK_HOST_DEVICE std::uint32_t take_turn(const Thread& thread, std::uint64_t at) const {
    TwoWords seen[loads];
    TwoWords expected[loads];
    GPUCHECK_UNROLL
    for (std::uint64_t i = 0; i < loads; ++i) seen[i] = memory.data[at + i * thread.count];
    std::uint64_t differing = 0;
    GPUCHECK_UNROLL
    for (std::uint64_t i = 0; i < loads; ++i) {
      expected[i] = memory.expected(pattern, at + i * thread.count, complement);
      differing |= (seen[i].lanes[0] ^ expected[i].lanes[0]) | (seen[i].lanes[1] ^ expected[i].lanes[1]);
    }
    std::uint32_t wrong = 0;
    if (differing != 0) {
      GPUCHECK_UNROLL
      for (std::uint64_t i = 0; i < loads; ++i) wrong += report(at + i * thread.count, expected[i], seen[i]);
    }
    if constexpr (replace) {
      GPUCHECK_UNROLL
      for (std::uint64_t i = 0; i < loads; ++i) {
        memory.data[at + i * thread.count] = {{~expected[i].lanes[0], ~expected[i].lanes[1]}};
      }
    }
    return wrong;
  }

  GPUCHECK_HOST_DEVICE std::uint32_t report(std::uint64_t at, const TwoWords& expected, const TwoWords& seen) const {
    std::uint32_t wrong = 0;
    GPUCHECK_UNROLL
    for (std::size_t lane = 0; lane < TwoWords::width; ++lane) {
      if (seen.lanes[lane] == expected.lanes[lane]) continue;
      ++wrong;
      detail::examine(log, &memory.data[at].lanes[lane], expected.lanes[lane], seen.lanes[lane], pass);
    }
    return wrong;
  }
};

template <typename Pattern>
using VerifyPattern = ComparePattern<Pattern, false>;
template <typename Pattern>
using ReplacePattern = ComparePattern<Pattern, true>;

namespace families {
template <typename... Patterns>
using PatternKernels = Joined<Family<WritePattern<Patterns>, VerifyPattern<Patterns>, ReplacePattern<Patterns>>...>;
using memtest = PatternKernels<RepeatedWord, OwnAddress, TurningWord, TurningHalfWord, EveryTwentiethWord,
                               NumberedBlocks, RandomWords>;
}  // namespace families
template <typename Functor>
requires(families::memtest::has<Functor>) struct FamilyOf<Functor> : families::memtest {
};

}  // namespace gpucheck::device::kernels
