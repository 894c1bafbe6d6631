#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/run/exit_codes.hpp"
#include "replay/verdict/replays.hpp"

namespace gpucheck::application {

/// For a person: what was compared and where it differs, and what the programs need.
std::string replay_text(std::span<const replay::SubjectReplays> results, const replay::Request& request);

/// "gpucheck.replay/1": the same, with every sample.
std::string replay_document(std::span<const replay::SubjectReplays> results, const replay::Request& request);

/// The same of a replay whose process ended before it did. @param reason "crash: …" or "hang: …".
std::string unfinished_replay_document(const replay::Subject& subject, const replay::Request& request,
                                       std::string_view reason);

// -- the two halves of replay_text ------------------------------------------------
std::string comparison_text(std::span<const replay::SubjectReplays> results);
/// Where each replay has a what_if.
std::string what_if_text(const replay::SubjectReplays& result, const replay::Request& request);

/// What a snapshot's own events tell, and what of them is not as recorded; whole lines.
std::string recorded_text(const replay::ConversionReport& report);
/// What `recorded_capacity_bytes` is.
std::string recorded_limit_text(const replay::ConversionReport& report);

/// Which expectations of the file were not compared, and why; empty when all were, or
/// there were none.
std::string why_not_compared(const replay::Subject& subject, const replay::Request& request);

/// 0, 1 or 3.
harness::ExitCode exit_code_of(std::span<const replay::SubjectReplays> results);

/// The settings as shown: "(defaults)" for none. One line, whatever the file says.
std::string settings_label(const std::string& settings);

}  // namespace gpucheck::application
