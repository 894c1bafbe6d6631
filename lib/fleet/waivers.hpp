#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/run/events.hpp"

/// What is known beyond one run: failures that somebody answers for until a date.
namespace gpucheck::fleet {

using Waivers = std::vector<harness::Waiver>;

/// The waivers of a file's text. The manual's topic "waivers" has the format.
/// @param known_cases each waiver must name at least one of them.
/// @throws UsageError with `path` and the line, or the field's JSON pointer, for whatever
/// is not right: a waiver that means nothing waives nothing, and nobody would notice.
Waivers parse_waivers(std::string_view text, const std::string& path, std::span<const std::string> known_cases);

/// @throws UsageError as `parse_waivers` does; EnvironmentError when the file cannot be read.
Waivers read_waivers(const std::string& path, std::span<const std::string> known_cases);

/// Applies waivers to the results of one run and keeps which of them were of use.
class WaiverBook {
 public:
  /// @param date of the run: a waiver holds up to its expiry date, that day included (UTC).
  WaiverBook(Waivers waivers, std::chrono::system_clock::time_point date);

  /// Puts the first waiver that covers it on a result that failed, crashed or hung, and
  /// takes any other off. A result that was not judged (`error`, `skip`) is never waived.
  void apply(harness::CaseResult& result, std::string_view device_uuid);

  /// The same for a result that names its devices by their index in `devices`: one of a
  /// pair is waived when it is on either.
  void apply(harness::CaseResult& result, const std::vector<harness::DeviceIdentity>& devices);

  /// The same for each value in which a device differs from its peers: the waiver is one for the case on that device.
  void apply(harness::Comparison& comparison, const std::vector<harness::DeviceIdentity>& devices);

  /// The waivers that had to do with the results so far: `used`; `expired`, whatever the
  /// result was; or `unused`, when all that they cover passed.
  [[nodiscard]] std::vector<harness::WaiverUse> uses() const;

 private:
  struct Entry {
    harness::Waiver waiver;
    bool expired = false;
    bool seen = false;    ///< a case that it names ended on a device that it names
    bool used = false;    ///< one was waived
    bool passed = false;  ///< one passed
  };
  std::vector<Entry> entries_;
};

/// Judges the end of a run anew by what the book made of its results and makes of its comparisons.
/// @param counts of the results, with their waivers.
/// @param lacked_time a case was not started for want of time.
void judge_under(WaiverBook& book, harness::Counts counts, bool lacked_time, const harness::RunStarted& start,
                 harness::RunFinished& end);

}  // namespace gpucheck::fleet
