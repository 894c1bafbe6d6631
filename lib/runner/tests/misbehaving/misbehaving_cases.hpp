#pragma once

#include "golden/golden.hpp"
#include "harness/case/registry.hpp"
#include "runner/worker/worker.hpp"

/// Cases that do everything a case must not do, and a few that behave, for the tests of
/// the runner. Shared by the tests and by the program they start as worker.
namespace gpucheck::runner::testing {

harness::Registry misbehaving_registry();
golden::GoldenSet misbehaving_goldens();

/// "auto", "sim" and "sim:<profile>" give the simulated device. "cuda" is rejected as a
/// machine without one would, "slow" takes 30 s to answer and "dies" does not live to.
/// One of four simulated devices ("four", "four:0,2" some of them) is sick: with "lost" the
/// third is lost at the first allocation, with "stuck" that call never returns, with "dead"
/// its worker dies when it opens it, with "frail" only the first one does, with "mute" it never
/// answers then; with "shy" no context can be made on it.
OpenedDriver open_simulated_driver(std::string_view device_name, std::uint64_t seed);

/// Environment variable with a folder in which cases leave marks for the tests.
inline constexpr const char* folder_variable = "GPUCHECK_RUNNER_TEST_FOLDER";

}  // namespace gpucheck::runner::testing
