#pragma once

#include <span>
#include <string>

#include "commands.hpp"
#include "replays.hpp"

namespace gpucheck::application {

/// For a person: what was compared and where it differs, and what the programs come to.
std::string replay_text(std::span<const SubjectReplays> results, const ReplayOptions& options);

/// "gpucheck.replay/1": the same, with every sample.
std::string replay_document(std::span<const SubjectReplays> results, const ReplayOptions& options);

// -- the two halves of replay_text ------------------------------------------------
std::string comparison_text(std::span<const SubjectReplays> results);
/// Where each replay has a what_if.
std::string what_if_text(const SubjectReplays& result, const ReplayOptions& options);

/// Which expectations of the file were not compared, and why; empty when all were, or
/// there were none.
std::string why_not_compared(const ReplaySubject& subject, const ReplayOptions& options);

/// The settings as shown: "(defaults)" for none. One line, whatever the file says.
std::string settings_label(const std::string& settings);

}  // namespace gpucheck::application
