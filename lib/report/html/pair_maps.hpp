#pragma once

#include <limits>
#include <string>
#include <vector>

#include "fleet/nodes/fleet.hpp"
#include "fleet/run_record.hpp"

/// What was measured of each two devices, as squares that show at a glance where it is less.
namespace gpucheck::report {

/// A square of values, from the device of the row to that of the column.
struct PairMap {
  struct Cell {
    double value = std::numeric_limits<double>::quiet_NaN();  ///< not a number where nothing was measured
    bool marked = false;                                      ///< something is wrong with it
    std::string note = {};                                    ///< below the value; text
  };
  std::string title;                ///< text
  std::vector<std::string> labels;  ///< of rows and columns; text
  std::vector<Cell> cells;          ///< row by row
  std::string remark = {};          ///< below the square; text
};

/// Each value is there as a number, on a colour for its share of the greatest, and marked by a sign where it is marked.
std::string html_pair_map(const PairMap& map);

/// What the squares show, for readers: HTML.
std::string pair_maps_key();

/// A square for each metric of each result of the run that has one, with what the case says of its pairs. Marked is
/// what the case calls bad, what is below the limit, and what is slow beside the median pair. Empty where there is
/// none.
std::string pair_maps_of(const fleet::RunRecord& run);

/// A square for each metric and model: the median of all nodes for each two places, and the node that has least where
/// that is 5 % less. Marked is where it is slow beside the median.
std::string pair_maps_of(const fleet::Fleet& fleet);

}  // namespace gpucheck::report
