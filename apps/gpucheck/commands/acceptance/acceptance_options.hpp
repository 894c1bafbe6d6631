#pragma once

#include "commands/commands.hpp"
#include "input/cli_options.hpp"

namespace gpucheck::application {

/// Which journals, and by what they are judged.
void add_evidence(CLI::App& command, EvidenceOptions& options);

}  // namespace gpucheck::application
