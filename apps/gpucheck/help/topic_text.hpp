#pragma once

#include <cstddef>
#include <string>

#include "help/topic.hpp"

namespace gpucheck::application {

/// A topic for reading: paragraphs wrapped to `columns`, code as it is; with `with_styles` headings, strong words and
/// code set off by a terminal's control sequences.
std::string topic_text(const Topic& topic, std::size_t columns, bool with_styles);

}  // namespace gpucheck::application
