#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpucheck::replay {

/// Text from a file as HTML: one line of at most `limit` characters.
std::string escaped(std::string_view text, std::size_t limit);

/// The same for texts of several lines, of whatever length.
std::string escaped_lines(std::string_view text);

/// Each {{placeholder}} replaced once; what is filled in is never searched for others.
std::string filled(std::string_view page, const std::vector<std::pair<std::string_view, std::string_view>>& values);

}  // namespace gpucheck::replay
