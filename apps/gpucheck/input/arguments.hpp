#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "runner/runner.hpp"

/// Readers for the small languages of the command line. Each throws UsageError that
/// says what is allowed.
namespace gpucheck::application {

/// "2/8": the second of eight parts.
runner::Shard parse_shard(std::string_view text);

/// A whole number in decimal digits, leading zeros or not; nothing for anything else.
std::optional<int> parse_whole_number(std::string_view text);

/// A whole number from 0 to 18446744073709551615.
std::uint64_t parse_seed(std::string_view text);

/// "name=value"; dashes in the name become underscores.
std::pair<std::string, std::string> parse_assignment(std::string_view text);

}  // namespace gpucheck::application
