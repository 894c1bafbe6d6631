#include "device/peer_link.hpp"

#include <algorithm>
#include <map>

namespace gpucheck::device {

PeerLink least_peer_link(std::span<const PeerLinkEnd> ends, int mbps, int other_devices) {
  const auto leads_to_switch = [](const PeerLinkEnd& end) { return end.is_active && end.is_switch; };
  if (mbps <= 0 || other_devices <= 0) return {};
  if (std::ranges::any_of(ends, leads_to_switch)) return {.links = static_cast<int>(ends.size()), .mbps = mbps};
  std::map<std::string_view, int> links_to;
  for (const PeerLinkEnd& end : ends) {
    if (end.is_active) ++links_to[end.address];
  }
  if (std::ssize(links_to) < other_devices) return {};
  const auto fewest = std::ranges::min_element(links_to, {}, [](const auto& entry) { return entry.second; });
  return {.links = fewest->second, .mbps = mbps};
}

}  // namespace gpucheck::device
