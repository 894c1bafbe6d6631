#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// What is slower than its sisters: GPUs within every limit, and what they have in common. Works on numbers alone.
namespace gpucheck::fleet {

/// Where a GPU is.
struct Site {
  std::string node;
  std::string slot;  ///< its place in the node: the same text on every node, such as its PCI address
  std::string rack;  ///< empty where nobody says
};

/// One measured value of one GPU.
struct Reading {
  std::size_t site = 0;
  double value = 0;  ///< above 0; others are left out
};

/// The same thing, measured on GPUs of one model.
struct Metric {
  std::string name;          ///< "bandwidth.device_write.write_gbps"
  bool high_is_bad = false;  ///< a latency or a temperature, not a speed
  std::vector<Reading> readings;
};

/// From the widest place to the narrowest.
enum class Scope : std::uint8_t { rack, slot, node, gpu };

/// How a place stands in one metric.
struct Evidence {
  std::string metric;
  double loss = 0;    ///< share by which it is worse than the median of all
  double scores = 0;  ///< by how many standard deviations
};

/// A place whose GPUs are worse than the others, where no wider place explains it.
struct Suspect {
  Scope scope = Scope::gpu;
  std::size_t site = 0;            ///< of one GPU in it; for a GPU its own
  std::string place;               ///< its name: a rack, a slot, a node; empty for a GPU
  std::vector<Evidence> evidence;  ///< the worst first; at least one
};

/// What is usual in one metric.
struct Usual {
  std::string metric;
  bool high_is_bad = false;
  double median = 0;   ///< in the unit of its values
  double scatter = 0;  ///< standard deviation of values' logarithms
};

struct Outliers {
  std::vector<Suspect> suspects;  ///< the worst evidence first
  std::vector<Usual> usual;       ///< of metrics with enough readings, in their order
};

/// Measured as the speed of a GPU in all metrics together.
inline constexpr const char* all_speeds_metric = "all speeds";

struct OutlierRules {
  /// How many suspects there are in a fleet without a defect, on average, where values scatter as normal ones do.
  double false_alarms = 0.01;
  double least_loss = 0.03;        ///< a smaller share is not worth a look
  std::size_t least_readings = 8;  ///< of one metric: fewer say too little about how values scatter
};

/// Finds suspects. The same metrics give the same suspects.
///
/// For each metric, values are compared as the logarithm of their ratio to the median. How they scatter is
/// estimated so that a few odd ones do not count (as the modified z-score of Iglewicz and Hoaglin does, How to Detect
/// and Handle Outliers, 1993). A place of
/// several GPUs is where the median of its GPUs is, the better of the two where they are even, so that one slow GPU is
/// not a slow node. It scatters as the median of as many normal values does, or as other places of its kind do where
/// that is more. Racks are looked at before slots, slots before nodes, nodes before GPUs; what a place explains is
/// taken off its GPUs. A score counts as an outlier where so few are expected by chance over all places and metrics as
/// the rules allow. "all speeds" is a metric besides: the median share of a GPU in all metrics of which low values are
/// bad.
Outliers find_outliers(const std::vector<Metric>& metrics, const std::vector<Site>& sites,
                       const OutlierRules& rules = {});

enum class SecondLook : std::uint8_t { none, confirmed, refuted };

/// What a second measurement says of a suspect. It is confirmed where it is worse again in the metric of its worst
/// evidence: by the least loss of the rules, and by more than one of a hundred normal values is by chance. Few are
/// measured again, so that chance hardly confirms any.
/// @param again readings of a second measurement, by the names of the first's metrics.
SecondLook look_again(const Suspect& suspect, const std::vector<Usual>& usual, const std::vector<Metric>& again,
                      const std::vector<Site>& sites, const OutlierRules& rules = {});

/// The score below which `tests` normal values fall `alarms` times on average, as a positive number.
double critical_score(double alarms, std::size_t tests);

}  // namespace gpucheck::fleet
