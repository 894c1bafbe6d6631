#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/run/device_verdicts.hpp"

/// Prometheus' text format, version 0.0.4, as the textfile collector of node_exporter reads it: no time stamps, each
/// metric's samples together behind its HELP and TYPE, no series twice, or the collector drops the file. The file is
/// renamed into place when it is whole, as the collector wants it.
namespace gpucheck::report {

using Labels = std::vector<std::pair<std::string_view, std::string>>;

/// `labels`, then `more`.
Labels with(Labels labels, const Labels& more);

/// The metrics and their samples, all of them gauges: what the last run says.
class Exposition {
 public:
  /// A series that is there already gets a label that tells it from the first.
  void add(const std::string& name, std::string_view help, const Labels& labels, double value);
  /// One for each verdict there is, 1 for that which holds: an alert that asks for one of them needs no other.
  void add_verdict(const std::string& name, std::string_view help, const Labels& labels, harness::Verdict verdict);

  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::string> families_;  ///< the text of each metric
  std::map<std::string, std::size_t> places_;
  std::set<std::string> series_;
};

}  // namespace gpucheck::report
