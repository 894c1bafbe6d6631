#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "acceptance/contract/contract.hpp"
#include "fleet/nodes/kept_run.hpp"
#include "golden/golden.hpp"

namespace gpucheck::acceptance {

/// What one run showed of a case of the contract on the same devices, all repetitions together.
struct Shown {
  std::size_t required = 0;  ///< the case's place in the contract
  std::vector<int> devices;  ///< by index in the run; none for the machine
  int passes = 0;
  int failures = 0;
  int unjudged = 0;         ///< errors, and what did not run with the contract's parameters
  std::string reason = {};  ///< of the first that is not a pass
};

/// What is kept of one run to judge it by a contract.
struct RunEvidence {
  std::string file;  ///< the journal's name
  std::string host_name;
  std::chrono::system_clock::time_point start_time;
  std::vector<harness::DeviceIdentity> devices = {};
  std::string digest;                        ///< SHA-256 of the journal
  fleet::KeptRun run = {};                   ///< for the verdict on the fleet
  std::vector<Shown> shown = {};             ///< by case, then by devices
  std::vector<std::string> voids = {};       ///< why the contract does not hold for it, each in one line
  std::vector<std::string> case_names = {};  ///< of all results, each once, sorted
  /// Where results say something else than follows from what was observed, each in one line; the first twenty.
  std::vector<std::string> contradictions = {};
  std::size_t contradictions_left_out = 0;
};

/// Gives it another name.
void rename(RunEvidence& evidence, std::string file);

/// Reads a journal, judges its observations again, and collects what the contract asks for.
/// @param journal its text: whole lines, each exactly as gpucheck writes them
/// @param name of the journal, for messages and reports
/// @throws EnvironmentError for what is not such a journal, and for golden files that cannot be used.
RunEvidence examine(std::string_view journal, const std::string& name, const Contract& contract,
                    const golden::GoldenSet& goldens, fleet::SharedTexts& texts);

}  // namespace gpucheck::acceptance
