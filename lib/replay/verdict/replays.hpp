#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "replay/analysis/compare.hpp"
#include "replay/analysis/what_if.hpp"
#include "replay/verdict/memory_limit.hpp"
#include "replay/verdict/request.hpp"
#include "replay/verdict/verdict.hpp"

namespace gpucheck::replay {

/// One subject played once, under one settings string.
struct Replay {
  std::string settings;  ///< empty: the defaults
  MemoryLimit limit;
  std::string device;                     ///< as `PlayedDevice::label`
  std::string device_name;                ///< as the device reports it
  std::string device_note;                ///< as `PlayedDevice::note`
  std::uint64_t device_memory_bytes = 0;  ///< the whole device
  std::optional<Comparison> comparison;   ///< where `can_compare`
  std::optional<WhatIf> what_if;          ///< where `asks_what_if`
};

struct SubjectReplays {
  const Subject* subject = nullptr;
  std::vector<Replay> replays;  ///< one for each of the settings asked for
  Verdict verdict = Verdict::empty;
};

/// Plays each subject under each of the settings asked for, or under its own, and judges
/// it. @throws UsageError, EnvironmentError.
std::vector<SubjectReplays> play_all(std::span<const Subject> subjects, const Request& request);

/// The verdict on all of them.
[[nodiscard]] Outcome outcome_of(std::span<const SubjectReplays> results);

}  // namespace gpucheck::replay
