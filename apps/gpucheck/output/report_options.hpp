#pragma once

#include <string>
#include <vector>

#include "output/outputs.hpp"
#include "output/terminal.hpp"

namespace gpucheck::application {

/// Where results go.
struct ReportOptions {
  std::vector<Output> outputs;  ///< in the order asked for
  bool no_journal = false;      ///< none beside the JSON report either
  std::string waivers_path;     ///< empty for none
  bool quiet = false;
  bool verbose = false;
  ColourChoice colour = ColourChoice::automatic;
};

}  // namespace gpucheck::application
