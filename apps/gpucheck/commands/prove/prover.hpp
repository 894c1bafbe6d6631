#pragma once

#include <functional>
#include <span>

#include "input/environment.hpp"
#include "runner/proof/proof.hpp"
#include "runner/runner.hpp"

namespace gpucheck::application {

/// Called as trials finish: how many of how many.
using ProofProgress = std::function<void(std::size_t finished, std::size_t total)>;

/// Runs cases clean, then under each of their faults. A trial may take ten times as long as the clean run did, and two
/// seconds more, but never longer than the case's deadline; `timeout` of the options replaces both.
runner::Proof make_proof(const Environment& environment, const golden::GoldenSet& goldens,
                         std::span<const harness::Case* const> cases, const runner::Options& options,
                         const ProofProgress& progress);

}  // namespace gpucheck::application
