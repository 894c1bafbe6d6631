#include "telemetry/kernel_log/log_events.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "telemetry/kernel_log/nvidia_lines.hpp"

namespace gpucheck::telemetry {
namespace {

using Kind = KernelEventKind;

bool is_of_everything(Kind kind) { return kind == Kind::driver_load || kind == Kind::boot; }

constexpr std::int64_t recovery_action_changed = 154;

bool says_none(const KernelEvent& event) {
  return event.kind == Kind::xid && event.xid == recovery_action_changed &&
         recovery_action(event.text) == RecoveryAction::none;
}

/// Whether it ends what was said of its device before.
bool is_an_end(const KernelEvent& event) {
  return is_of_everything(event.kind) || event.kind == Kind::gpu_reset || says_none(event);
}

/// By what events of one kind and number differ that must not be one.
std::string shape_of(const KernelEvent& event) {
  if (event.kind == Kind::switch_error) return is_fatal(event.text) == true ? "fatal" : "";
  if (event.kind != Kind::xid) return {};
  if (event.xid == 13 || event.xid == 31) return place_in_gpu(event.text);
  if (event.xid == recovery_action_changed) {
    const auto action = recovery_action(event.text);
    return action ? std::to_string(static_cast<int>(*action)) : "?";
  }
  const auto fatal = is_fatal(event.text);
  return !fatal ? "?" : *fatal ? "fatal" : "";
}

class Collector {
 public:
  void add(KernelEvent event) {
    std::int64_t& ends = ends_[event.pci_address];
    const bool is_end = is_an_end(event);
    Key key{event.kind, event.pci_address, event.xid, shape_of(event), is_end ? 0 : ends + ends_of_all_};
    // Whatever a log holds, what is kept of it is bounded.
    constexpr std::size_t most = 4096;
    if (events_.size() >= most && !events_.contains(key)) key = {event.kind, event.pci_address, event.xid, "", 0};
    if (events_.size() >= most && !events_.contains(key)) {
      key = {event.kind, event.pci_address = "", event.xid = 0, "", 0};
    }
    if (is_of_everything(event.kind)) ++ends_of_all_;
    if (is_end) ++ends;
    event.text.resize(std::min(event.text.size(), longest_text));
    const auto [place, is_new] = events_.try_emplace(std::move(key));
    Seen& seen = place->second;
    if (!is_new) {
      event.count += seen.event.count;
      event.first_time_s = seen.event.first_time_s;
    }
    seen = {.event = std::move(event), .last_place = next_place_++};
  }

  std::vector<KernelEvent> take() {
    std::vector<std::pair<std::int64_t, KernelEvent>> in_order;
    for (auto& [_, seen] : events_) in_order.emplace_back(seen.last_place, std::move(seen.event));
    std::ranges::sort(in_order, {}, &std::pair<std::int64_t, KernelEvent>::first);
    std::vector<KernelEvent> events;
    for (auto& [_, event] : in_order) events.push_back(std::move(event));
    return events;
  }

 private:
  /// Kind, address, number, shape, and how many ends there were before.
  using Key = std::tuple<Kind, std::string, std::int64_t, std::string, std::int64_t>;
  struct Seen {
    KernelEvent event;
    std::int64_t last_place = 0;
  };

  static constexpr std::size_t longest_text = 400;

  std::map<Key, Seen> events_;
  std::map<std::string, std::int64_t> ends_;  ///< of one device, by its address
  std::int64_t ends_of_all_ = 0;
  std::int64_t next_place_ = 0;
};

}  // namespace

LogEvents events_in_log(std::string_view log, const LogClock& clock) {
  Collector collector;
  NvidiaLines lines;
  LogEvents found;
  for_each_log_line(log, clock, [&](const LogLine& line) {
    if (found.lines++ == 0) found.begin_s = line.time_s;
    if (line.has_form) ++found.lines_in_form;
    auto event = lines.read(line.message);
    if (!event) return;
    event->first_time_s = event->last_time_s = line.time_s;
    collector.add(*std::move(event));
  });
  found.events = collector.take();
  return found;
}

std::vector<KernelEvent> in_short(std::vector<KernelEvent> events) {
  Collector collector;
  for (KernelEvent& event : events) collector.add(std::move(event));
  return collector.take();
}

bool is_ended(const std::vector<KernelEvent>& events, std::size_t index) {
  const KernelEvent& event = events.at(index);
  return std::any_of(
      events.begin() + static_cast<std::ptrdiff_t>(index) + 1, events.end(), [&event](const KernelEvent& later) {
        return is_of_everything(later.kind) ||
               (is_an_end(later) && !later.pci_address.empty() && later.pci_address == event.pci_address);
      });
}

}  // namespace gpucheck::telemetry
