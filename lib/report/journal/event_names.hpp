#pragma once

#include <string_view>

#include "harness/run/events.hpp"

namespace gpucheck::report {

/// What a line of a journal calls each event.
template <typename T>
inline constexpr std::string_view event_name = "";
template <>
inline constexpr std::string_view event_name<harness::RunStarted> = "run_started";
template <>
inline constexpr std::string_view event_name<harness::CaseStarted> = "case_started";
template <>
inline constexpr std::string_view event_name<harness::CaseFinished> = "case_finished";
template <>
inline constexpr std::string_view event_name<harness::RunFinished> = "run_finished";

/// What its first event says.
inline constexpr std::string_view journal_schema = "gpucheck.journal/1";

}  // namespace gpucheck::report
