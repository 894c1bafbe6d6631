#pragma once

#include <vector>

namespace gpucheck::runner {

/// Neighbours, `size` at a time, of `count` devices: (0 1) (2 3). An odd one at the end goes
/// with its neighbour once more, so that none is left out: (0 1) (1 2). None when there are
/// fewer than `size`.
std::vector<std::vector<int>> neighbours(int count, int size);

}  // namespace gpucheck::runner
