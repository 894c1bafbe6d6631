#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "harness/result/failure_kinds.hpp"
#include "harness/run/events.hpp"

/// What every report says in the same words.
namespace gpucheck::report {

/// A duration as people say it: "0.4 ms", "12 ms", "1.2 s", "2 min 05 s".
std::string format_duration(double milliseconds);

/// Why the case did not simply pass, on one line: its reason, else what can be said
/// from how its process ended or from its first mismatch.
std::string cause(const harness::CaseResult& result);

/// The case's name, with "#2" for its second repetition and "[fault]" for the fault it
/// ran under: the same in every run of the same plan.
std::string display_name(const harness::CaseResult& result);

/// "= 4650, 95 % of the best 4917; fails below 3933, warns below 4425": a value, its limits and what the device could
/// do; "!" instead of "=" where it does not pass, or only just.
std::string measurement_text(const harness::Measurement& measurement);

/// "GC2003 row_remap_pending, serious: reset. Reset the GPU ...".
std::string next_step_text(const harness::FailureKind& kind);

/// "rerun: gpucheck run alloc.fuzz --seed 7", whole, for it is pasted into a shell; empty for none. A command from a
/// file that is not one as gpucheck writes them is not shown.
std::string rerun_text(const harness::CaseResult& result);

/// The command of that line; empty where it is not shown.
std::string shown_rerun_command(const harness::CaseResult& result);

/// "waived by node team until 2026-12-31: reason".
std::string waiver_text(const harness::Waiver& waiver);

/// "the waiver for alloc.* on any device (node team, until 2026-12-31) has expired: ...";
/// empty for one that was used.
std::string waiver_complaint(const harness::WaiverUse& use);

/// "3 passed (1 flaky), 1 failed, 1 skipped": what there is none of is left out.
std::string counts_text(const harness::Counts& counts);

/// "alloc.fuzz, alloc.threads and 5 more": ten names at most.
/// @param count of all of them; the names may be fewer, and the others are of later repetitions.
std::string some_of(const std::vector<std::string>& names, std::size_t count);

/// "config /site/gpucheck.toml, profile nightly: suite = quick, max_skips = 0"; for all reports that are read by
/// people.
std::string configuration_text(const harness::Configuration& configuration);

/// "Simulated H100 (sim:0, 80.00 GiB)".
std::string device_text(const harness::DeviceIdentity& device);

/// "Simulated H100 (sim:0, 80.00 GiB)"; of several, "4 devices".
std::string device_text(const std::vector<harness::DeviceIdentity>& devices);

/// "device 0", of a pair "devices 0-1"; "machine" for none.
std::string place_text(const std::vector<int>& devices);

/// What held a run up most: the device that was busy longest, and what took most of its time.
struct Bound {
  harness::DeviceTime time;
  std::string_view by;  ///< "cases", "starting" (workers and their contexts) or "idle"
};
/// Nothing when no times are known.
std::optional<Bound> bound_of(const std::vector<harness::DeviceTime>& times);

/// One line about where the wall time went.
std::string bound_text(const Bound& bound);

/// UTC, "2026-08-22T10:11:12.345Z".
std::string utc_milliseconds(std::chrono::system_clock::time_point time);

}  // namespace gpucheck::report
