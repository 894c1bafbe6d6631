#pragma once

#include <exception>
#include <functional>

#include "golden/golden.hpp"
#include "harness/case/registry.hpp"
#include "harness/run/durations.hpp"

/// The gpucheck command: everything but `main`, so that tests can run it with cases
/// and goldens of their own.
namespace gpucheck::application {

/// Makes the golden files that are built into the binary; called only by commands
/// that judge or show them. @throws golden::MalformedGolden.
using GoldenFactory = std::function<golden::GoldenSet()>;

/// Says what the cases took where they were measured; called only by commands that go by it.
using DurationsFactory = std::function<harness::Durations()>;

/// Runs the command line and returns the process's exit code (harness/exit_codes.hpp).
/// Never throws: errors are printed on stderr. Call once, from the main thread.
int run_application(
    int argc, char** argv, const harness::Registry& registry, const GoldenFactory& embedded_goldens,
    const DurationsFactory& durations = [] { return harness::Durations(); });

/// Prints "gpucheck: <text>" on stderr and returns the exit code for that error. The
/// one place where errors are printed.
int report_error(const std::exception& error);

/// The exit code when all that was printed has been written. What could not be takes no
/// failure back.
int with_output(int exit_code);

}  // namespace gpucheck::application
