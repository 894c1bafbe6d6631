#include <memory>

#include "device/sim/sim_driver.hpp"
#include "hardware.hpp"
#include "loops.hpp"
#include "observe/history/memory_history.hpp"
#include "runtime/runtime.hpp"

namespace {

using namespace gpucheck;

struct OnStream {
  runtime::CachingAllocator* allocator = nullptr;
  device::Stream stream;
  void* allocate(std::size_t bytes) { return allocator->allocate(bytes, stream); }
  void free(void* pointer) { allocator->free(pointer); }
};

/// The first GPU, or a simulated one: as long as the cache serves, neither is called.
std::unique_ptr<device::Driver> driver_of_this_machine() {
  std::unique_ptr<device::Driver> driver = peers::make_hardware_driver();
  if (driver != nullptr && driver->device_count().has_value() && *driver->device_count() > 0) return driver;
  return sim::make_driver({.profile = sim::profile("h100")});
}

/// Host memory for each block, with 10,000 live of sizes as in the churn.
double bookkeeping_per_block(device::Device& device) {
  runtime::CachingAllocator allocator(device);
  const device::Stream stream = device.default_stream();
  std::mt19937_64 random(1);
  std::vector<void*> live;
  for (int i = 0; i < 10'000; ++i) {
    const double uniform = static_cast<double>(random() >> 11U) * 0x1p-53;
    live.push_back(allocator.allocate(static_cast<std::size_t>(512 * std::pow(2.0, uniform * 12)), stream));
  }
  std::size_t blocks = 0;
  for (const runtime::SegmentInfo& segment : allocator.snapshot()) blocks += segment.blocks.size();
  const double result = static_cast<double>(allocator.bookkeeping_bytes()) / static_cast<double>(blocks);
  for (void* pointer : live) allocator.free(pointer);
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER_OF_TRAINING_STEPS\n", argv[0]);
    return 2;
  }
  const std::unique_ptr<device::Driver> driver = driver_of_this_machine();
  const std::unique_ptr<device::Device> device = driver->open(0).value();
  std::fprintf(stderr, "gpucheck's allocator on %s\n", device->properties().name.c_str());
  runtime::Runtime runtime(*device);
  runtime::CachingAllocator& allocator = runtime.caching_allocator();
  observe::MemoryHistory history(allocator, 0);
  OnStream on_default{&allocator, device->default_stream()};
  const auto record = [&](bool on) {
    history.record({.recording = on ? observe::Recording::all : observe::Recording::off,
                    .context = observe::ContextLevel::none,
                    .max_entries = 100'000});
  };
  peers::run(
      on_default,
      [&] {
        return OnStream{&allocator, runtime.streams().next()};
      },
      [&] { allocator.empty_cache(); }, record, peers::training_steps_in(argv[1]));
  peers::print("bookkeeping 10000 live, B/block", bookkeeping_per_block(*device));
}
