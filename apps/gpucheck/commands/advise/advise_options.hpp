#pragma once

#include "commands/commands.hpp"

namespace CLI {
class App;
}

namespace gpucheck::application {

void add_advise_options(CLI::App& command, AdviseOptions& options);

}  // namespace gpucheck::application
