#include "tests/support/test_files.hpp"

namespace gpucheck::application {

std::string test_file(const std::string& name) { return GPUCHECK_REPLAY_TEST_DATA "/" + name; }

std::string library(const std::string& name) { return GPUCHECK_PLUGGABLE_FOLDER "/" + name + ".so"; }

}  // namespace gpucheck::application
