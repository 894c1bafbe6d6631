#pragma once

#include <memory>
#include <string_view>

#include "report/journal/event_json.hpp"

namespace gpucheck::report {

/// Reads lines that `to_json` wrote. A fleet has millions of them, so that the memory of one line serves the next. Used
/// by one thread.
class EventReader {
 public:
  EventReader();
  EventReader(const EventReader&) = delete;
  EventReader& operator=(const EventReader&) = delete;
  ~EventReader();

  /// @param line JSON in which each object has each key once.
  /// @throws Error naming the member that is missing or malformed, or when there is one that it does not know.
  JournalEntry read(std::string_view line);

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace gpucheck::report
