#include <list>
#include <string>
#include <utility>
#include <vector>

#include "misbehaving_cases.hpp"

namespace gpucheck::runner::testing {
namespace {

std::string golden_text(const std::string& name, const std::string& expectations) {
  return R"({"case": ")" + name + R"(", "expect": {)" + expectations + "}}";
}

/// Name of a case and what its golden file expects.
std::vector<std::pair<std::string, std::string>> expectations() {
  const std::string answer = R"("answer": {"equals": 42, "basis": "math"})";
  const std::string times =
      R"("start_us": {"range": [1, 9000000000000000], "basis": "math"}, "end_us": {"informational": true, "basis": "math"})";
  const std::string process = R"("process": {"range": [1, 4194304], "basis": "math"},
                                 "seed": {"informational": true, "basis": "math"},
                                 "size": {"informational": true, "basis": "math"})";
  const std::string speed = R"("gbps": {"range": [5, 100], "basis": "vendor", "failure": "slow_memory"})";
  const std::string children = R"("exit_code": {"equals": 3, "basis": "math"},
                                  "exit_output": {"equals": "size 11\n", "basis": "math"},
                                  "abort_signal": {"equals": 6, "basis": "math"},
                                  "timed_out": {"equals": [false, true], "basis": "math"},
                                  "chat_output_bytes": {"equals": 65536, "basis": "math"},
                                  "chat_error_end": {"equals": "end\n", "basis": "math"})";
  const std::string device =
      R"("ordinal": {"informational": true, "basis": "math"}, "allocated": {"equals": true, "basis": "math"})";
  std::vector<std::pair<std::string, std::string>> all = {
      {"plain.process", process},
      {"plain.own_process", process},
      {"children.all", children},
      {"fault.allocation",
       R"("here": {"equals": true, "basis": "math"}, "in_child": {"equals": true, "basis": "math"})"},
      {"device.each", device},
      {"device.each_own_process", device},
      {"device.large", device},
      {"device.pair",
       R"("ordinals": {"informational": true, "basis": "math"}, "allocated": {"equals": true, "basis": "math"})"},
      {"device.leaks_on_both",
       R"("allocated_0": {"equals": true, "basis": "math"}, "allocated_1": {"equals": true, "basis": "math"})"},
      {"device.leaks_on_peer", R"("allocated": {"equals": true, "basis": "math"})"},
      {"device.greedy", R"("ordinal": {"equals": 1, "basis": "math"})"},
      {"speed.slow_at_first", speed},
      {"speed.slow", speed},
      {"speed.slow_then_broken", speed},
      {"speed.slow_and_wrong", speed + ", " + answer},
      {"leak.memory", R"("allocated": {"equals": true, "basis": "math"})"},
  };
  for (const char* name : {"slow.a", "slow.b", "slow.exclusive_a", "slow.exclusive_b", "device.exclusive"}) {
    all.emplace_back(name, times);
  }
  // "plain.gone" is a golden file that has lost its case.
  for (const char* name : {"plain.pass",        "plain.until_told", "plain.own_process_pass",
                           "plain.fail",        "readings.pass",    "readings.opens",
                           "plain.skip",        "plain.throw",      "plain.throw_int",
                           "plain.gone",        "meet.a",           "meet.b",
                           "flaky.second_time", "hang.overloaded",  "flaky.skip_second",
                           "output.flood",      "output.garbage",   "output.late",
                           "channel.close",     "channel.garbage",  "channel.malformed",
                           "channel.stale",     "channel.early",    "channel.stale_observation",
                           "channel.huge",      "leak.child",       "leak.fork",
                           "leave.slowly",      "leave.alone"}) {
    all.emplace_back(name, answer);
  }
  return all;
}

}  // namespace

golden::GoldenSet misbehaving_goldens() {
  static std::list<std::string> texts;  // outlive the set
  std::vector<golden::GoldenSet::File> files;
  for (const auto& [name, expected] : expectations()) {
    std::string& path = texts.emplace_back(name + ".json");
    path[path.find('.')] = '/';
    files.push_back({.path = path, .text = texts.emplace_back(golden_text(name, expected))});
  }
  return golden::GoldenSet::from_embedded(files);
}

}  // namespace gpucheck::runner::testing
