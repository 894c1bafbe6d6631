#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gpucheck::observe {

/// One line of a stack: a function, or a scope that the user named.
struct Frame {
  std::string name;      ///< demangled; "MODULE+0xOFFSET" where no symbol is known; "??"
  std::string filename;  ///< "??" when not known
  int line = 0;          ///< 0 when not known
  bool operator==(const Frame&) const = default;
};

/// Innermost frame first.
using Stack = std::vector<Frame>;

}  // namespace gpucheck::observe
