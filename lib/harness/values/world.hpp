#pragma once

#include <string>
#include <string_view>

namespace gpucheck::harness {

/// This process among those that an engine started together and that communicate; alone where there are no others.
struct World {
  int rank = 0;
  int size = 1;
  std::string rendezvous = {};  ///< where they find each other: "tcp://HOST:PORT/JOB", or a folder that all of them
                                ///< see; empty where nobody knows
  std::string member = {};      ///< what this process is called in messages: its node, and its rank there

  bool operator==(const World&) const = default;
};

/// "2/4 n07 tcp://n05:23456/81"; empty for a process that is alone.
std::string to_text(const World& world);
/// The reverse. @throws Error for another text.
World parse_world(std::string_view text);

}  // namespace gpucheck::harness
