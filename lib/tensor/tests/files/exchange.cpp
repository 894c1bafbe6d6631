#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include "runtime/tests/simulated.hpp"
#include "samples.hpp"

/// gpucheck's side of scripts/record/serialized_tensors: `write FOLDER` saves the samples there, `read FOLDER` loads
/// all files that are there. Both print a line for each: its name, a tabulator, what it is or why it was refused. The
/// device is a simulated one.
namespace {

using namespace gpucheck::tensor;

void write_samples(const std::string& folder, gpucheck::runtime::Runtime& device) {
  for (const files::test::Sample& sample : files::test::samples(device)) {
    files::save(sample.object, fmt::format("{}/{}.pt", folder, sample.name));
    fmt::print("{}\t{}\n", sample.name, files::test::description_of(sample.object));
  }
}

std::string found_in(const std::string& path, gpucheck::runtime::Runtime& device) {
  try {
    return files::test::description_of(files::load(path, {.machine = gpucheck::runtime::Machine({&device})}));
  } catch (const gpucheck::Error& error) {
    return fmt::format("refused: {}", error.what());
  }
}

void read_files(const std::string& folder, gpucheck::runtime::Runtime& device) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".pt") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  for (const std::filesystem::path& path : paths) {
    fmt::print("{}\t{}\n", path.stem().string(), found_in(path.string(), device));
  }
}

}  // namespace

int main(int count, char** words) {
  const std::string action = count == 3 ? words[1] : "";
  if (action != "write" && action != "read") {
    fmt::print(stderr, "Usage: gpucheck_tensor_file_exchange write|read FOLDER\n");
    return 2;
  }
  gpucheck::runtime::test::Simulated simulated;
  try {
    (action == "write" ? write_samples : read_files)(words[2], simulated.runtime());
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
