#pragma once

#include <functional>
#include <string_view>

#include "harness/case/context.hpp"

namespace gpucheck::runner {

/// Runs the program of a case as harness::ChildLauncher::run_program says. It leads a process group of its own: one
/// that kills its group does not kill the worker. While it runs, what loses its parent below this process falls to this
/// one. Used by one thread at a time. @throws EnvironmentError; what `take` throws.
harness::ProgramEnd run_program(const harness::ProgramStart& start, const std::function<void(std::string_view)>& take);

}  // namespace gpucheck::runner
