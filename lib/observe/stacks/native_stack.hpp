#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "observe/stacks/frame.hpp"

/// Native stacks. Program counters are gathered by the unwinder of libgcc, which every
/// C++ program has (about 0.2 µs a frame, no lock with glibc 2.35 or newer). Names come
/// later, and only for stacks that are shown, from libbacktrace, which is part of GCC:
/// both link statically, need no other library, and libbacktrace knows inlined frames,
/// DWARF 5 and compressed sections. libunwind gathers faster, but its static library
/// cannot go into a position-independent program and takes over C++ exceptions; elfutils
/// would add four more libraries.
namespace gpucheck::observe {

/// Where calls will return to, innermost first. Deeper stacks lose their outermost frames.
struct ProgramCounters {
  static constexpr std::size_t max_count = 128;
  std::array<std::uintptr_t, max_count> values;
  std::size_t count = 0;
  [[nodiscard]] std::span<const std::uintptr_t> view() const noexcept { return {values.data(), count}; }
};

/// Fills `counters` with the calling thread's stack, beginning with this function's own
/// frame. Thread-safe; allocates nothing.
void unwind(ProgramCounters& counters) noexcept;

/// Finds names, files and lines for program counters of this process, and remembers
/// them. A program without symbols gives modules and offsets instead. Thread-safe.
class Symbolizer {
 public:
  Symbolizer();
  ~Symbolizer();
  Symbolizer(const Symbolizer&) = delete;
  Symbolizer& operator=(const Symbolizer&) = delete;

  /// The frames at one return address: more than one where functions were inlined,
  /// never none.
  [[nodiscard]] const Stack& frames(std::uintptr_t return_address);
  [[nodiscard]] Stack frames(std::span<const std::uintptr_t> return_addresses);
  /// Without library internals: neither those of gpucheck itself, its cases excepted, nor
  /// of C++'s, nor of another module than the program.
  [[nodiscard]] Stack user_frames(std::span<const std::uintptr_t> return_addresses);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// "NAME\n  FILE:LINE\n" for each frame.
std::string to_text(const Stack& stack);

}  // namespace gpucheck::observe
