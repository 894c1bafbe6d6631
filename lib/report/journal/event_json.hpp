#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>

#include "harness/run/events.hpp"

namespace gpucheck::report {

using Event = std::variant<harness::RunStarted, harness::CaseStarted, harness::CaseFinished, harness::RunFinished>;

/// One line of a journal: what happened, and when it was written down.
struct JournalEntry {
  std::chrono::system_clock::time_point time;  ///< kept to the millisecond
  Event event;
};

/// Every member of the event that its table (`harness::fields_of`) does not call derived, exactly: an event comes back
/// from an EventReader as it was, up to a start time's fraction of a millisecond. Text that is not UTF-8 becomes
/// `{"latin1": …}`, one character for each byte, and comes back as those bytes.
nlohmann::ordered_json to_json(const JournalEntry& entry);

/// The same as a journal holds it, without the newline.
std::string line_of(const JournalEntry& entry);

}  // namespace gpucheck::report
