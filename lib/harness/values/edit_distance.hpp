#pragma once

#include <cstddef>
#include <string_view>

namespace gpucheck::harness {

/// Edits that turn `a` into `b`, each of them one character inserted, deleted or
/// replaced, or two neighbours swapped (the optimal string alignment form of the
/// Damerau-Levenshtein distance). Time and memory grow with the product of the lengths.
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace gpucheck::harness
