// Tests scaling.cpp on gpucheck's simulated device, on any machine: no GPU, no CUDA. Exit 1 when it finds a mistake.
// Usage: stream_code_test [--without-wait]   the option: the stream code with its mistake
#include <cstdint>
#include <exception>
#include <iostream>
#include <memory>
#include <string_view>
#include <vector>

#include "device/sim/sim_driver.hpp"
#include "runtime/runtime.hpp"
#include "scaling.hpp"

namespace {

/// Legal interleavings that are tried. Each has the race, if there is one: it is found by what orders the streams, not
/// by what happens to come first.
constexpr std::uint64_t seeds = 20;

/// How many mistakes showed under one interleaving. Prints each.
int mistakes_under(std::uint64_t seed, stream_code::Wait wait) {
  const std::unique_ptr<gpucheck::sim::Driver> driver =
      gpucheck::sim::make_driver({.profile = gpucheck::sim::profile("h100"), .seed = seed});
  const std::unique_ptr<gpucheck::device::Device> device = driver->open(0).value();
  gpucheck::runtime::Runtime runtime(*device);

  const std::vector<float> values{1, 2, 3, 4};
  const std::vector<float> products = stream_code::scaled(runtime, values, 2, wait);

  int mistakes = 0;
  if (products != std::vector<float>{2, 4, 6, 8}) {
    std::cout << "seed " << seed << ": the products are wrong\n";
    ++mistakes;
  }
  for (const gpucheck::device::Race& race : driver->races()) {
    std::cout << "seed " << seed << ": race: " << race.description << '\n';
    ++mistakes;
  }
  return mistakes;
}

}  // namespace

int main(int argument_count, char** arguments) {
  const bool is_without_wait = argument_count == 2 && std::string_view(arguments[1]) == "--without-wait";
  if (argument_count > 1 && !is_without_wait) {
    std::cerr << "usage: stream_code_test [--without-wait]\n";
    return 2;
  }
  try {
    int mistakes = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      mistakes += mistakes_under(seed, is_without_wait ? stream_code::Wait::not_at_all : stream_code::Wait::for_copy);
    }
    std::cout << seeds << " interleavings, " << mistakes << " mistakes\n";
    return mistakes == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 3;
  }
}
