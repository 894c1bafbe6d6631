#pragma once

#include <cstddef>
#include <string>

#include "harness/result/result.hpp"
#include "report/palette.hpp"

namespace gpucheck::report {

struct CaseTextOptions {
  Palette palette;
  std::size_t name_width = 0;    ///< columns of the longest name, for alignment
  std::size_t line_width = 100;  ///< columns; what is wider is set in another way, not cut
  bool verbose = false;          ///< observations too
  bool show_devices = false;     ///< on which it ran: where there are several
};

/// A finished case for the console: its line (outcome, name, time) and, unless it
/// passed or was skipped, what to know about it below. Ends with a newline.
std::string case_text(const harness::CaseResult& result, const CaseTextOptions& options);

}  // namespace gpucheck::report
