#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commands/cases/run_estimate.hpp"
#include "golden/golden.hpp"
#include "harness/case/case.hpp"
#include "harness/result/failure_kinds.hpp"
#include "input/devices/devices.hpp"
#include "input/machine/libraries.hpp"
#include "runner/proof/proof.hpp"

/// The JSON documents of the commands that answer with --json, except `run`, whose
/// document is written by lib/report. Each names its schema, ends with a newline, and
/// has units in its key names.
namespace gpucheck::application {

/// "gpucheck.list/1"
std::string list_document(std::span<const harness::Case* const> cases, const std::optional<RunEstimate>& estimate);

/// "gpucheck.case/1". @param golden null when the case has none.
std::string case_document(const harness::Case& test_case, const golden::Golden* golden);

/// "gpucheck.failures/1"
std::string failure_kinds_document(std::span<const harness::FailureKind> kinds);

/// What `info` found.
struct MachineReport {
  struct Devices {
    std::vector<device::DeviceProperties> found;
    std::string problem;  ///< why there is none; empty when there are
    device::Driver::Versions versions;
  };
  Devices cuda;
  std::vector<LibraryReport> libraries;
  std::vector<std::string> silent_gpus;  ///< those that do not answer, each with its place and what to do
};

/// "gpucheck.info/1"
std::string info_document(const MachineReport& report);

/// "gpucheck.proof/1"
std::string proof_document(const runner::Proof& proof);

}  // namespace gpucheck::application
