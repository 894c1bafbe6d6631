#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/waivers.hpp"
#include "report/journal/event_json.hpp"
#include "report/run_set.hpp"

namespace gpucheck::report {

/// A journal that was read back.
struct Journal {
  std::string path;
  /// What the run reported, in its order. The last one is always a RunFinished: where the
  /// journal has none, one that says so (`incomplete`), names the cases that were not
  /// run, and is not a pass.
  std::vector<Event> events;
  bool torn = false;  ///< the last line was cut off in the middle, and is left out

  [[nodiscard]] const harness::RunStarted& start() const;
  [[nodiscard]] const harness::RunFinished& end() const;
  [[nodiscard]] fleet::RunRecord record() const;
};

/// @param still_written the run that writes it has not ended.
/// @throws EnvironmentError with `path` and the line's number for what is not an event, for
/// events that cannot follow each other, and for an end that does not fit what comes
/// before it.
Journal parse_journal(std::string_view text, const std::string& path, bool still_written = false);

/// @throws EnvironmentError as `parse_journal` does, and when the file cannot be read.
Journal read_journal(const std::string& path);

/// Reads a journal without keeping it: visits each of its events, as `Journal` would hold them.
/// @return true when its last line was cut off. @throws as `read_journal` does; what was visited counts for nothing
/// then.
bool read_events(const std::string& path, const std::function<void(Event)>& visit);

/// Likewise of a journal's text, each line of which must be whole, and written exactly as gpucheck writes it: nothing
/// in it can be changed without a trace, neither a space nor the order of an object's members.
/// @throws EnvironmentError as `parse_journal` does, with `path`, and for a line that is written otherwise.
void read_exact_events(std::string_view text, const std::string& path, const std::function<void(Event)>& visit);

/// True while the run that writes the file holds its lock.
bool is_being_written(const std::string& path);

/// Judges the journal's run anew under these waivers, instead of those it ran with.
void apply_waivers(Journal& journal, const fleet::Waivers& waivers);

/// Reports the sink every event of the journal.
void replay_events(const Journal& journal, harness::EventSink& sink);

}  // namespace gpucheck::report
