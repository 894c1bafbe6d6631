#pragma once

#include <vector>

namespace gpucheck::replay {

/// Part of a picture.
struct Rectangle {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

/// Fills `whole` with a rectangle for each weight, of an area in proportion, as square as
/// can be (Bruls, Huizing, van Wijk: Squarified Treemaps, 2000). Weights are above 0, the
/// largest first.
std::vector<Rectangle> treemap(const std::vector<double>& weights, Rectangle whole);

}  // namespace gpucheck::replay
