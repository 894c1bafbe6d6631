#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/kernel_log/kernel_event.hpp"

/// What the kernel's log says of GPUs and switches, judged.
namespace gpucheck::harness {

/// The kind of failure that it is, by its name (failure_kinds.hpp): from the number and, where that alone does
/// not say it (XID 144 to 150 and 154, SXids), from the text. "error_to_watch" is for a warning. Empty for no alarm.
[[nodiscard]] std::string_view failure_of(const telemetry::KernelEvent& event);

/// Likewise of what the driver asks for by a number (telemetry::recovery), one of a later version included. Empty for
/// none.
[[nodiscard]] std::string_view failure_of_recovery(std::int64_t action) noexcept;

/// One line for people: "XID 48 GPU_ECC_DBE, 3 times from 2026-11-25T10:32:31Z to 2026-11-25T11:00:00Z: NVRM: ...". Of
/// an XID it begins with "XID" and its number.
[[nodiscard]] std::string text_of(const telemetry::KernelEvent& event);

/// Whether `number` alone does not say enough, and the log's text decides: 144 to 150 can be fatal or not, 154 asks for
/// an action or none.
[[nodiscard]] bool needs_text(std::int64_t number) noexcept;

/// The XIDs that such texts name, if each text begins with one ("XID 79 ..."); empty where one does not.
[[nodiscard]] std::vector<std::int64_t> xids_named(const std::vector<std::string>& texts);

/// The failure that an XID without a known text is when it appears while a case runs; empty for no failure. Stricter
/// than the log: what only warns there has hit the case.
[[nodiscard]] std::string_view failure_while_running(std::int64_t number);

}  // namespace gpucheck::harness
