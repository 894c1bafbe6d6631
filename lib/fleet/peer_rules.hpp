#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/rules/comparison.hpp"

/// How values of several GPUs are judged by each other.
namespace gpucheck::fleet {

enum class PeerRule : std::uint8_t {
  speed,        ///< far below the best is bad
  host_speed,   ///< the same, but the way to the host's memory differs by socket
  temperature,  ///< far above the others is doubtful
  digest,       ///< another one than the others' is wrong
};

struct PeerSample {
  harness::Value value;
  double unit = 1;  ///< of a number: what it is compared as a share of
};

struct PeerGroup {
  PeerRule rule = PeerRule::speed;
  std::map<std::size_t, std::vector<PeerSample>> by_subject;  ///< of two subjects or more
  // For speeds that were measured again, by subject: what does not count any more, and how a measurement ended that
  // takes nothing back.
  std::map<std::size_t, std::vector<harness::Value>> earlier = {};
  std::map<std::size_t, std::string> unmeasured = {};
};

/// Fills in the values with their verdicts, the verdict on all, the reason and the failure's code.
/// @param distrusted subjects that gave a wrong value elsewhere.
/// @param name_of a subject's name in the reason.
void judge_peers(harness::Comparison& comparison, const PeerGroup& group, const std::set<std::size_t>& distrusted,
                 const std::function<std::string(std::size_t)>& name_of);

}  // namespace gpucheck::fleet
