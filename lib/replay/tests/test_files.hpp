#pragma once

#include <filesystem>
#include <string>

namespace gpucheck::replay {

/// Where a file of tests/data is.
std::filesystem::path test_file(const std::string& name);
std::string bytes_of(const std::string& name);

}  // namespace gpucheck::replay
