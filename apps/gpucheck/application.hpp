#pragma once

#include "harness/case/registry.hpp"
#include "input/environment.hpp"

/// The gpucheck command: everything but `main`, so that tests can run it with cases
/// and goldens of their own.
namespace gpucheck::application {

/// Runs the command line and returns the process's exit code (harness/exit_codes.hpp).
/// Never throws: errors are printed on stderr. Call once, from the main thread.
int run_application(
    int argc, char** argv, const harness::Registry& registry, const GoldenFactory& embedded_goldens,
    const DurationsFactory& durations = [] { return harness::Durations(); },
    const ContractFactory& contract = [] { return std::string_view(); });

}  // namespace gpucheck::application
