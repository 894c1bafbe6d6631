#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/result/result.hpp"

namespace gpucheck::report {

/// The mismatches as lines for people: a table with expected and seen side by side
/// when every row fits in `width` columns, else expected above seen for each key.
std::vector<std::string> mismatch_table(const std::vector<harness::Mismatch>& mismatches, std::size_t width);

}  // namespace gpucheck::report
