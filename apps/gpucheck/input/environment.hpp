#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/golden.hpp"
#include "harness/case/registry.hpp"
#include "harness/run/durations.hpp"

namespace gpucheck::application {

/// Makes the golden files that are built into the binary; called only by commands
/// that judge or show them. @throws golden::MalformedGolden.
using GoldenFactory = std::function<golden::GoldenSet()>;

/// Says what the cases took where they were measured; called only by commands that go by it.
using DurationsFactory = std::function<harness::Durations()>;

/// The text of the contract of acceptance (acceptance/contract); called only by commands that judge by it.
using ContractFactory = std::function<std::string_view()>;

/// What every command can reach.
struct Environment {
  const harness::Registry& registry;
  const GoldenFactory& embedded_goldens;
  std::vector<std::string> command_line;                                           ///< as typed, program name first
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();  ///< of the process
  DurationsFactory durations = [] { return harness::Durations(); };
  ContractFactory contract = [] { return std::string_view(); };
};

}  // namespace gpucheck::application
