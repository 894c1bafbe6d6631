#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <istream>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "runtime/allocator/snapshot.hpp"

namespace gpucheck::runtime::test {

/// The figures that a trace has after each step, in the order of the file's letters.
using TracedFigures = std::array<std::int64_t, 11>;
inline constexpr std::array traced_names{"allocated_bytes", "reserved_bytes",    "active_bytes", "inactive_split_bytes",
                                         "requested_bytes", "segment",           "allocation",   "active",
                                         "inactive_split",  "num_alloc_retries", "num_ooms"};

struct TracedStep {
  char call = ' ';  ///< a letter of the files in data
  int id = 0;       ///< of an allocation, a pool or a graph
  std::size_t bytes = 0;
  std::size_t stream = 0;
  std::string text;  ///< a pool's option, or settings
  int other = 0;     ///< a graph whose pool is shared; negative is none
  bool out_of_memory = false;
  bool is_recorded = true;  ///< what PyTorch reported after it
  TracedFigures after{};
  int line = 0;  ///< in the file
};

struct TracedBlock {
  std::uint64_t size = 0;
  std::uint64_t requested = 0;
  bool allocated = false;
  auto operator<=>(const TracedBlock&) const = default;
};

struct TracedSegment {
  std::uint64_t size = 0;
  bool on_default_stream = false;
  bool is_large = false;
  std::vector<TracedBlock> blocks;
  auto operator<=>(const TracedSegment&) const = default;
};

/// As in the files, for GoogleTest's messages.
void PrintTo(const TracedSegment& segment, std::ostream* out);

/// Calls to PyTorch's allocator and what it answered; see data/*_traces.txt.
struct AllocatorTrace {
  std::string name;
  std::size_t streams = 1;
  std::uint64_t limit_bytes = 0;  ///< 0 is none
  std::string settings;
  std::vector<TracedStep> steps;
  std::map<std::string, std::int64_t> final_statistics;  ///< those that are not 0
  std::vector<TracedSegment> final_segments;             ///< in no particular order
};

std::vector<AllocatorTrace> load_traces(const std::string& path);

/// Calls `read(word, rest, number)` for every line of a file in data but comments and empty
/// ones: its first word, the stream of what follows, and its number from 1. @throws
/// std::runtime_error for a file that cannot be read.
using ReadLine = std::function<void(const std::string& word, std::istream& rest, int number)>;
void read_lines(const std::string& path, const ReadLine& read);

}  // namespace gpucheck::runtime::test
