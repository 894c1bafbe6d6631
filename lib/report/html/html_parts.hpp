#pragma once

#include <string>
#include <string_view>

#include "report/formats/entries.hpp"

/// What pages on runs and on fleets have in common.
namespace gpucheck::report {

/// The outcome's word on the colour of what it means.
std::string html_standing(Standing standing, std::string_view word);

/// A cell that is sorted by its value.
std::string html_number(double value);

}  // namespace gpucheck::report
