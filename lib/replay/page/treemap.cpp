#include "replay/page/treemap.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace gpucheck::replay {

namespace {

/// The worst ratio of sides in a row of areas between `smallest` and `largest`, `sum` in all,
/// along a side of that length.
double worst_ratio(double largest, double smallest, double sum, double side) {
  const double squared = sum * sum;
  return std::max(side * side * largest / squared, squared / (side * side * smallest));
}

/// Lays a row along the shorter side of what is left, and takes it off.
void lay_row(const std::vector<double>& areas, std::size_t begin, std::size_t end, Rectangle& left,
             std::vector<Rectangle>& laid) {
  const double sum = std::accumulate(areas.begin() + static_cast<std::ptrdiff_t>(begin),
                                     areas.begin() + static_cast<std::ptrdiff_t>(end), 0.0);
  const bool is_column = left.width >= left.height;
  const double side = is_column ? left.height : left.width;
  const double thickness = side > 0 ? sum / side : 0;
  double at = is_column ? left.y : left.x;
  for (std::size_t i = begin; i < end; ++i) {
    const double length = thickness > 0 ? areas[i] / thickness : 0;
    laid.push_back(is_column ? Rectangle{left.x, at, thickness, length} : Rectangle{at, left.y, length, thickness});
    at += length;
  }
  if (is_column) {
    left.x += thickness;
    left.width = std::max(left.width - thickness, 0.0);
  } else {
    left.y += thickness;
    left.height = std::max(left.height - thickness, 0.0);
  }
}

}  // namespace

std::vector<Rectangle> treemap(const std::vector<double>& weights, Rectangle whole) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> areas;
  for (const double weight : weights) areas.push_back(weight / total * whole.width * whole.height);
  std::vector<Rectangle> laid;
  Rectangle left = whole;
  for (std::size_t begin = 0; begin < areas.size();) {
    const double side = std::min(left.width, left.height);
    double sum = areas[begin];
    std::size_t end = begin + 1;
    // One more in the row as long as that makes none of them longer.
    while (end < areas.size() && worst_ratio(areas[begin], areas[end], sum + areas[end], side) <=
                                     worst_ratio(areas[begin], areas[end - 1], sum, side)) {
      sum += areas[end++];
    }
    lay_row(areas, begin, end, left, laid);
    begin = end;
  }
  return laid;
}

}  // namespace gpucheck::replay
