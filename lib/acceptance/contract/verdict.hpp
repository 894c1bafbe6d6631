#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "acceptance/contract/evidence.hpp"
#include "fleet/nodes/fleet.hpp"

namespace gpucheck::acceptance {

/// By what runs are judged.
struct Terms {
  const Contract& contract;
  const golden::GoldenSet& goldens;
  bool has_site_limits = false;  ///< limits of the site go before those of the golden files
  fleet::ExpectedNodes expected = {};
};

/// A case that the contract asks for and a node has not passed on one of its devices.
struct Shortfall {
  std::string case_name;
  std::string device;  ///< its UUID or address; empty where it is about the machine or about all devices
  std::string reason;
};

/// A node under the contract.
struct NodeStanding {
  /// What one node can lack in detail; a run of another suite lacks everything.
  static constexpr std::size_t most_shortfalls = 24;

  std::string name;
  harness::Verdict verdict = harness::Verdict::not_judged;  ///< passed: the contract is met
  std::size_t devices = 0;
  std::size_t required = 0;                ///< cases on devices that the contract asks for on this node
  std::size_t met = 0;                     ///< of those
  std::vector<std::string> voids = {};     ///< why it does not hold here, each in one line
  std::vector<Shortfall> failed = {};      ///< in the contract's order
  std::vector<Shortfall> not_judged = {};  ///< likewise: without evidence
  std::size_t left_out = 0;                ///< of both lists, beyond `most_shortfalls` of each
};

/// Runs under a contract.
struct Standing {
  harness::Verdict verdict = harness::Verdict::not_judged;
  std::vector<std::string> voids = {};  ///< of all nodes: golden files and limits that are not the contract's
  harness::Verdict fleet = harness::Verdict::not_judged;
  std::vector<NodeStanding> nodes = {};  ///< by name
};

/// "met", "not_met" or "not_judged".
std::string_view contract_word(harness::Verdict verdict) noexcept;

/// The contract is met where the fleet has passed, nothing voids the contract, and every node has passed every case
/// that the contract asks for on each device. It is not met where a node failed one; else it is not judged.
/// @param runs of which the fleet is made
/// @param again runs of a second measurement
Standing stand(const Terms& terms, std::span<const RunEvidence> runs, std::span<const RunEvidence> again,
               harness::Verdict fleet);

/// Runs with the verdict on all of them together, and what they are under the contract.
struct JudgedRuns {
  fleet::Fleet fleet;
  Standing standing;
};

/// The same runs in the same order give the same.
/// @param texts that the runs point into
JudgedRuns judge_runs(const Terms& terms, std::vector<RunEvidence> runs, std::vector<RunEvidence> again,
                      std::shared_ptr<const fleet::SharedTexts> texts);

/// gpucheck.acceptance/1
std::string standing_json(const Contract& contract, const Standing& standing);

/// For people: the verdict last, before it what voids the contract, what failed and what was not judged.
std::string standing_text(const Contract& contract, const Standing& standing);

}  // namespace gpucheck::acceptance
