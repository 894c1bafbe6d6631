#pragma once

#include "commands/commands.hpp"

namespace CLI {
class App;
}

namespace gpucheck::application {

void add_inspect_options(CLI::App& command, InspectOptions& options);

}  // namespace gpucheck::application
