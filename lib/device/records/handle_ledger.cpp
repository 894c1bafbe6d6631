#include "device/records/handle_ledger.hpp"

#include <array>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "base/text/count_text.hpp"

namespace gpucheck::device {

std::string to_text(const LiveHandles& live) {
  const std::array<std::pair<std::size_t, std::string_view>, 5> kinds{{{live.streams, "stream"},
                                                                       {live.events, "event"},
                                                                       {live.graphs, "graph"},
                                                                       {live.executables, "executable graph"},
                                                                       {live.communicators, "communicator"}}};
  std::string text;
  for (const auto& [count, name] : kinds) {
    if (count == 0) continue;
    text += (text.empty() ? "" : ", ") + count_text(count, name);
  }
  return text.empty() ? "none" : text;
}

LiveHandles HandleLedger::live() const {
  const std::scoped_lock lock(mutex_);
  return {.streams = std::get<0>(handles_).size(),
          .events = std::get<1>(handles_).size(),
          .graphs = std::get<2>(handles_).size(),
          .executables = std::get<3>(handles_).size(),
          .communicators = std::get<4>(handles_).size()};
}

}  // namespace gpucheck::device
