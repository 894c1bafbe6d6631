#include "observe/device_trace/tests/trace_format.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

namespace gpucheck::observe::test {
namespace {

using nlohmann::json;
using Track = std::pair<std::int64_t, std::int64_t>;  // process, thread

struct Slice {
  double start = 0;
  double end = 0;
};

class Checker {
 public:
  explicit Checker(const json& trace) : trace_(trace) {}

  std::vector<std::string> check() {
    if (!trace_.is_object() || !trace_.value("traceEvents", json()).is_array()) return {"no list of traceEvents"};
    for (const json& event : trace_["traceEvents"]) {
      if (has_common_fields(event)) read(event);
    }
    check_nesting();
    check_arrows();
    check_names();
    return offences_;
  }

 private:
  void offence(const std::string& what, const json& event) { offences_.push_back(what + ": " + event.dump()); }

  bool has_common_fields(const json& event) {
    const bool fine = event.is_object() && event.value("name", json()).is_string() &&
                      event.value("ph", json()).is_string() && event.value("ts", json()).is_number() &&
                      event.value("pid", json()).is_number_integer() && event.value("tid", json()).is_number_integer();
    if (!fine) offence("a field that every event has is missing or of another type", event);
    if (fine && event["ts"].get<double>() < 0) offence("a negative time", event);
    return fine;
  }

  void read(const json& event) {
    const std::string phase = event["ph"];
    const Track track{event["pid"], event["tid"]};
    if (phase == "X") {
      if (!event.value("dur", json()).is_number() || event["dur"].get<double>() < 0) return offence("no length", event);
      const double start = event["ts"];
      slices_[track].push_back({start, start + event["dur"].get<double>()});
    } else if (phase == "C") {
      const json values = event.value("args", json::object());
      if (!std::ranges::all_of(values, [](const json& value) { return value.is_number(); })) {
        offence("a counter that is not a number", event);
      }
    } else if (phase == "M") {
      (event["name"] == "process_name" ? named_processes_ : named_threads_)
          .insert(event["name"] == "process_name" ? Track{track.first, 0} : track);
    } else if (phase == "s" || phase == "f") {
      if (phase == "f" && event.value("bp", "") != "e") offence("an arrow's end that binds to the next slice", event);
      auto& ends = arrows_[event.value("id", -1)];
      (phase == "s" ? ends.first : ends.second).push_back(event);
    } else {
      offence("an unknown phase", event);
    }
  }

  void check_nesting() {
    for (auto& [track, slices] : slices_) {
      std::ranges::sort(slices, [](const Slice& a, const Slice& b) {
        return std::pair(a.start, -a.end) < std::pair(b.start, -b.end);
      });
      std::vector<Slice> open;
      for (const Slice& slice : slices) {
        while (!open.empty() && open.back().end <= slice.start) open.pop_back();
        if (!open.empty() && slice.end > open.back().end) {
          offences_.push_back(
              fmt::format("slices of track {}/{} overlap at {}", track.first, track.second, slice.start));
        }
        open.push_back(slice);
      }
    }
  }

  [[nodiscard]] bool lies_in_slice(const json& event) const {
    const auto slices = slices_.find({event["pid"], event["tid"]});
    if (slices == slices_.end()) return false;
    const double time = event["ts"];
    return std::ranges::any_of(slices->second,
                               [&](const Slice& slice) { return slice.start <= time && time <= slice.end; });
  }

  void check_arrows() {
    for (const auto& [id, ends] : arrows_) {
      if (ends.first.size() != 1 || ends.second.size() != 1) {
        offences_.push_back(
            fmt::format("arrow {} has {} starts and {} ends", id, ends.first.size(), ends.second.size()));
        continue;
      }
      const json& start = ends.first.front();
      const json& end = ends.second.front();
      if (start["cat"] != end["cat"] || start["name"] != end["name"]) offence("an arrow with two names", start);
      if (!lies_in_slice(start) || !lies_in_slice(end)) offence("an arrow from or to nowhere", start);
      if (start["ts"].get<double>() > end["ts"].get<double>()) offence("an arrow back in time", start);
    }
  }

  void check_names() {
    for (const auto& [track, slices] : slices_) {
      if (!named_processes_.contains({track.first, 0}) || !named_threads_.contains(track)) {
        offences_.push_back(fmt::format("track {}/{} has no name", track.first, track.second));
      }
    }
  }

  const json& trace_;
  std::vector<std::string> offences_;
  std::map<Track, std::vector<Slice>> slices_;
  std::map<std::int64_t, std::pair<std::vector<json>, std::vector<json>>> arrows_;
  std::set<Track> named_processes_;
  std::set<Track> named_threads_;
};

}  // namespace

std::vector<std::string> format_offences(const json& trace) { return Checker(trace).check(); }

}  // namespace gpucheck::observe::test
