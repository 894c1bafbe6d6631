#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace gpucheck::runtime::race_fuzz {

/// What kind of programs are made.
struct Variant {
  std::string name;
  std::string profile = "h100";              ///< of the simulated device
  std::string settings = {};                 ///< the allocator's
  double memory_fraction = 1.0;              ///< that the allocator may use
  std::uint64_t largest_bytes = 24u << 20U;  ///< of one block
  std::size_t max_live = 24;                 ///< blocks in the hands of one thread
  std::size_t streams = 4;                   ///< of each thread
  std::size_t threads = 1;
  bool captures = false;    ///< graphs with private pools, captured and replayed
  std::size_t steps = 160;  ///< of each thread
};

/// For GoogleTest's messages.
void PrintTo(const Variant& variant, std::ostream* out);

/// How often programs did what they are made for, so that none is empty.
struct Coverage {
  std::uint64_t reads_verified = 0;
  std::uint64_t uses_on_other_streams = 0;
  std::uint64_t blocks_reused = 0;     ///< allocated at an address that had been freed
  std::uint64_t frees_deferred = 0;    ///< not complete when the call returned
  std::uint64_t blocks_passed_on = 0;  ///< from thread to thread
  std::uint64_t captures = 0;
  std::uint64_t replays = 0;
  std::uint64_t retries = 0;         ///< cache released for want of memory
  std::uint64_t shortages = 0;       ///< allocations that failed
  std::uint64_t segments_freed = 0;  ///< freed on the device
  void add(const Coverage& other) noexcept;
};

struct Outcome {
  /// What went wrong: races, wrong contents, memory left over, an unexpected error.
  std::vector<std::string> failures;
  Coverage coverage;
  std::vector<std::string> log;  ///< one line for each action, if asked for
};

/// Runs the program that `seed` stands for, as far as `steps`, on a simulated device of
/// its own. The program keeps to the rules of `record_stream`; whatever fails is the
/// allocator's fault. With one thread the same seed always gives the same outcome.
Outcome run_program(const Variant& variant, std::uint64_t seed, std::size_t steps, bool with_log = false);

}  // namespace gpucheck::runtime::race_fuzz
