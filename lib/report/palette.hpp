#pragma once

#include <string>
#include <string_view>

namespace gpucheck::report {

enum class Tone { plain, good, bad, doubtful, faint };

/// Colours for a terminal, or none. Colour only underlines what the words say.
struct Palette {
  bool enabled = false;

  [[nodiscard]] std::string paint(std::string_view text, Tone tone) const {
    if (!enabled || tone == Tone::plain) return std::string(text);
    const std::string_view code = tone == Tone::good       ? "\x1b[32m"
                                  : tone == Tone::bad      ? "\x1b[1;31m"
                                  : tone == Tone::doubtful ? "\x1b[33m"
                                                           : "\x1b[2m";
    return std::string(code).append(text).append("\x1b[0m");
  }
};

}  // namespace gpucheck::report
