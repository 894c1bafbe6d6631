#include "replay/formats/bytes/file_error.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gpucheck::replay {

FileError::FileError(std::string file, std::uint64_t offset, std::string path, std::string_view problem)
    : EnvironmentError(path.empty() ? fmt::format("{}: byte {}: {}", file, offset, problem)
                                    : fmt::format("{}: byte {} ({}): {}", file, offset, path, problem)),
      file_(std::move(file)),
      offset_(offset),
      path_(std::move(path)) {}

std::string path_text(std::span<const PathStep> way) {
  const auto is_plain = [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  std::string path = "$";
  for (auto step = way.rbegin(); step != way.rend(); ++step) {
    if (step->is_in_list) {
      path += fmt::format("[{}]", step->index);
    } else {
      path += std::ranges::all_of(step->key, is_plain) ? fmt::format(".{}", step->key)
                                                       : fmt::format("[{}]", printable(step->key));
    }
  }
  return path;
}

std::string printable(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string shown = "\"";
  for (const char character : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte < 0x20 || byte > 0x7e || character == '"' || character == '\\') {
      shown += fmt::format("\\x{:02x}", byte);
    } else {
      shown += character;
    }
  }
  return shown + (text.size() > longest ? "\"..." : "\"");
}

}  // namespace gpucheck::replay
