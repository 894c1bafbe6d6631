#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/exit_codes.hpp"
#include "replay/analysis/compare.hpp"
#include "replay/analysis/what_if.hpp"
#include "replay_subjects.hpp"

namespace gpucheck::application {

/// The most memory that a replayed program may hold, and who says so.
struct MemoryLimit {
  enum class Source {
    option,        ///< --memory-limit
    trace,         ///< the file
    recorded,      ///< what a recorded failure tells of its device: reserved plus free
    device,        ///< none but the size of the device replayed on
    not_recorded,  ///< none: more was in use than the default simulated device has, so that it was made huge
  };
  Source source = Source::device;
  std::optional<std::uint64_t> bytes;
};

/// One subject played once, under one settings string.
struct Replay {
  std::string settings;  ///< empty: the defaults
  MemoryLimit limit;
  std::string device;                            ///< "sim:h100", "cuda:0"
  std::string device_name;                       ///< as the device tells it
  std::string device_note;                       ///< why "auto" took the simulator; else empty
  std::uint64_t device_memory_bytes = 0;         ///< the whole device
  std::optional<replay::Comparison> comparison;  ///< where the file has expectations of this allocator
  /// Where nothing was compared, or other conditions than recorded were asked for.
  std::optional<replay::WhatIf> what_if;
};

enum class ReplayVerdict {
  equal,               ///< all that the file expects was seen, under each of the settings
  differs,             ///< not so
  fits,                ///< nothing was compared; under at least one of the settings memory suffices
  out_of_memory,       ///< nothing was compared; under none of the settings memory suffices
  nothing_to_compare,  ///< nothing was expected, and nothing was asked for that could be judged
  empty,               ///< not a single event
};
std::string_view to_text(ReplayVerdict verdict);

struct SubjectReplays {
  const ReplaySubject* subject = nullptr;
  std::vector<Replay> replays;  ///< one for each of the settings asked for
  ReplayVerdict verdict = ReplayVerdict::empty;
};

/// What a file expects is what PyTorch's caching allocator did: segments, splits, retries.
/// Whether the chosen allocator can be held against it.
bool can_compare(const ReplaySubject& subject, const ReplayOptions& options) noexcept;

/// Plays each subject under each of the settings asked for, or under its own.
/// @throws UsageError, EnvironmentError.
std::vector<SubjectReplays> play_all(std::span<const ReplaySubject> subjects, const ReplayOptions& options);

/// A difference, or memory that does not suffice, outweighs what cannot be judged.
harness::ExitCode exit_code(std::span<const SubjectReplays> results) noexcept;

}  // namespace gpucheck::application
