#pragma once

#include <string>
#include <string_view>

#include "harness/run/device_verdicts.hpp"
#include "report/palette.hpp"

namespace gpucheck::report {

/// "PASSED", "FAILED" or "NOT JUDGED".
std::string_view verdict_word(harness::Verdict verdict) noexcept;

/// "replace (GC2001 memory_mismatch), rerun (GC8002 unsteady_speed)": each step once, with all that asks for it. What
/// the driver asks for comes first: "reboot (GC7006 reboot_required, the driver asks for it); then reset (…)". Empty
/// where nothing is to be done.
std::string next_steps_text(const harness::DeviceVerdict& verdict);

/// What a run says of one of its devices: "device 1: PASSED      3 passed, 1 skipped" and, where it did not pass, which
/// device that is by UUID and PCI address, which cases are the reason, and what to do.
std::string verdict_text(const harness::DeviceVerdict& verdict, const harness::DeviceIdentity& device,
                         const Palette& palette);
/// The same of the machine: "machine: FAILED      1 passed, 1 failed".
std::string machine_verdict_text(const harness::DeviceVerdict& verdict, const Palette& palette);

}  // namespace gpucheck::report
