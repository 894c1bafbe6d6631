#pragma once

#include <exception>

namespace gpucheck::application {

/// Prints "gpucheck: <text>" on stderr and returns the exit code for that error. The
/// one place where errors are printed.
int report_error(const std::exception& error);

/// The exit code when all that was printed has been written. What could not be takes no
/// failure back.
int with_output(int exit_code);

}  // namespace gpucheck::application
