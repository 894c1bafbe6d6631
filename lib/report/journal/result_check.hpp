#pragma once

#include "harness/run/events.hpp"

namespace gpucheck::report {

inline constexpr int greatest_exit_code = 255;
inline constexpr int greatest_signal = 64;  // SIGRTMAX of Linux

/// What a result in a journal says is checked against what it holds: an outcome against its evidence, a verdict on a
/// measured value against the value and its bounds, a waiver against what it covers.
/// @throws Error with the contradiction.
void check_result(const harness::CaseResult& result, const harness::RunStarted& start);

/// Rejects times that are negative, or without end. @throws Error.
void check_duration(double milliseconds, std::string_view what);

}  // namespace gpucheck::report
