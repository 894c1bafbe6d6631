#include "device/links/peer_link.hpp"

#include <algorithm>
#include <map>

namespace gpucheck::device {
namespace {

/// A board of more than this many GPUs has switches (HGX); one of so many is wired directly.
constexpr int most_without_switches = 4;

int links_of_board(const NvlinkModel& model, int other_devices) {
  return other_devices + 1 > most_without_switches && model.to_one > 0 ? model.links : model.to_one;
}

/// The links to the device that is reached by the fewest of those that are up; 0 where one is not reached.
int fewest_up(std::span<const PeerLinkEnd> ends, int other_devices) {
  std::map<std::string_view, int> links_to;
  for (const PeerLinkEnd& end : ends) {
    if (end.is_active) ++links_to[end.address];
  }
  if (std::ssize(links_to) < other_devices) return 0;
  return std::ranges::min_element(links_to, {}, [](const auto& entry) { return entry.second; })->second;
}

int least_links(std::span<const PeerLinkEnd> ends, int other_devices, const NvlinkModel* model) {
  const auto is_active = [](const PeerLinkEnd& end) { return end.is_active; };
  const auto leads_to_switch = [](const PeerLinkEnd& end) { return end.is_active && end.is_switch; };
  const bool is_board = model != nullptr && model->form == NvlinkModel::Form::board;
  if (std::ranges::any_of(ends, leads_to_switch)) {
    return std::max(static_cast<int>(ends.size()), model == nullptr ? 0 : model->links);
  }
  if (std::ranges::none_of(ends, is_active)) return is_board ? links_of_board(*model, other_devices) : 0;
  const int fewest = fewest_up(ends, other_devices);
  if (model == nullptr || (fewest == 0 && !is_board)) return fewest;
  return std::max(fewest, model->to_one);
}

}  // namespace

PeerLink least_peer_link(std::span<const PeerLinkEnd> ends, int mbps, int other_devices, const NvlinkModel* model) {
  if (other_devices <= 0 || ends.empty()) return {};
  const int links = least_links(ends, other_devices, model);
  const int each = mbps <= 0 && model != nullptr ? model->mbps : mbps;
  return links > 0 && each > 0 ? PeerLink{.links = links, .mbps = each} : PeerLink{};
}

}  // namespace gpucheck::device
