#include "test_files.hpp"

#include <fstream>
#include <iterator>

namespace gpucheck::replay {

std::filesystem::path test_file(const std::string& name) {
  return std::filesystem::path(GPUCHECK_REPLAY_TEST_DATA) / name;
}

std::string bytes_of(const std::string& name) {
  std::ifstream stream(test_file(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace gpucheck::replay
