#pragma once

#include <string>

#include "input/machine/machine_report.hpp"

namespace gpucheck::application {

/// "gpucheck.info/1"
std::string info_document(const MachineReport& report);

}  // namespace gpucheck::application
