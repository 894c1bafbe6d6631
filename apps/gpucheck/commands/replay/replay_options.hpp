#pragma once

#include "commands/commands.hpp"

namespace CLI {
class App;
}

namespace gpucheck::application {

void add_replay_options(CLI::App& command, ReplayOptions& options);

}  // namespace gpucheck::application
