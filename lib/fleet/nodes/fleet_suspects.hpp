#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "fleet/nodes/racks.hpp"
#include "fleet/outliers/outliers.hpp"
#include "harness/result/result.hpp"

namespace gpucheck::fleet {

struct Fleet;
struct KeptMeasurement;
struct KeptRun;

/// Since when a GPU is worse than it was.
struct OwnPast {
  std::string since;     ///< when the first of the worse runs started, UTC
  std::size_t runs = 0;  ///< how many there are
};

/// A place of the fleet that is slower than its sisters, or a GPU that is slower than it was, and what a second
/// measurement says of it.
struct FleetSuspect {
  Suspect suspect;
  std::optional<OwnPast> own_past = {};  ///< of a GPU that is compared with itself
  SecondLook second_look = SecondLook::none;
  std::string place;               ///< "rack r1", "slot 0000:1b:00.0 of every node", "node n4", "GPU-… of n4"
  std::vector<std::size_t> nodes;  ///< the node that it is or is in; none where it is wider than a node
  std::string device_uuid;         ///< of a GPU
};

/// Looks for outliers among the fleet's nodes, each case and key among GPUs of one model, and looks again at those that
/// were measured a second time. A node that is suspected, or has a GPU that is, is not judged before that; one that is
/// confirmed has failed, and one that is refuted is what it was.
/// @param again runs of a second measurement.
void find_suspects(Fleet& fleet, const Racks& racks, const std::vector<KeptRun>& again);

/// What a metric of the fleet is called: "gemm.bf16.mean_tflops of NVIDIA H100".
std::string metric_name(const KeptMeasurement& measurement, const harness::DeviceIdentity& device);

/// Lets a suspect that counts decide the verdict on its node.
void blame(Fleet& fleet, const FleetSuspect& suspect);

/// In one line: which place, by how much in what, and what a second measurement says.
std::string text_of(const FleetSuspect& suspect);

/// Whether nobody has looked again at it, or it was confirmed.
bool counts_against(const FleetSuspect& suspect) noexcept;

}  // namespace gpucheck::fleet
