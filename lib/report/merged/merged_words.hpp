#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/nodes/fleet.hpp"

/// What every report on a fleet says in the same words.
namespace gpucheck::report {

/// How many nodes have each verdict.
struct NodeCounts {
  std::size_t passed = 0;
  std::size_t failed = 0;
  std::size_t not_judged = 0;
};
NodeCounts count_nodes(const fleet::Fleet& fleet);

/// "997 of 1000 nodes passed, 1 failed, 1 not judged, 1 did not report".
std::string nodes_text(const fleet::Fleet& fleet);

/// "1000 nodes, 7984 GPUs, 1992000 results: 1990000 passed, 1 failed".
std::string extent_text(const fleet::Fleet& fleet);

/// Why a node did not pass, each in one line: what is wrong with which of its devices, then what is wrong with its
/// runs.
std::vector<std::string> reasons_of(const fleet::Fleet& fleet, const fleet::FleetNode& node);

/// What is wrong besides nodes: files that are not journals, nodes that are missing or that nobody expected.
std::vector<std::string> problems_of(const fleet::Fleet& fleet);

/// "driver: 580.95 on 990 nodes; 570.1 on n3, n4".
std::string difference_text(const fleet::Fleet& fleet, const fleet::Difference& difference);

/// "none", "confirmed" or "refuted".
std::string_view second_look_word(fleet::SecondLook look) noexcept;

/// "node n1 (GPU-…)" of the device of a value that is compared across nodes.
std::string compared_device_name(const fleet::Fleet& fleet, int subject);

}  // namespace gpucheck::report
