#pragma once

#include <string>

namespace gpucheck::application {

/// Path of a file that the replay's own tests read.
std::string test_file(const std::string& name);

/// Path of an allocator's library, good or broken.
std::string library(const std::string& name);

}  // namespace gpucheck::application
