#include "commands/replay/replay_options.hpp"

#include <limits>

#include "base/text/duration.hpp"
#include "base/text/units.hpp"
#include "input/arguments.hpp"
#include "input/cli_options.hpp"
#include "input/devices/devices.hpp"

namespace gpucheck::application {

void add_replay_options(CLI::App& command, ReplayOptions& options) {
  command
      .add_option("files", options.files,
                  "Allocator traces (JSON), or PyTorch memory snapshots (JSON, or the pickle of _dump_snapshot)")
      ->required()
      ->type_name("FILE");
  command.add_option("--trace", options.trace_names, "Only traces with such a name (* and ?); may be repeated")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  add_whole_number(command, "--device-index", options.recorded_device, 0, std::numeric_limits<int>::max(),
                   "Play only what a snapshot recorded on this device; else on each");
  command
      .add_option_function<std::string>(
          "--allocator",
          [&options](const std::string& text) { options.allocator = runtime::parse_allocator_choice(text); },
          "What to play against: caching (PyTorch's), async (cudaMallocAsync), or a library of your own with PyTorch's "
          "pluggable ABI; FILE.so:ALLOCATE,FREE names its functions")
      ->type_name("caching|async|FILE.so")
      ->default_str("caching");
  command
      .add_option("--settings", options.settings,
                  "Allocator settings, as in PYTORCH_CUDA_ALLOC_CONF, instead of those recorded; repeat it to see "
                  "several side by side")
      ->type_name("STRING")
      ->allow_extra_args(false);
  command
      .add_option_function<std::string>(
          "--memory-limit", [&options](const std::string& text) { options.memory_limit_bytes = parse_bytes(text); },
          "Memory that the program may hold, instead of what is recorded, for example 8GiB")
      ->type_name("SIZE");
  command
      .add_option("--device", options.device,
                  "sim (as large as the recorded one, as far as that is known), or " + std::string(device_name_forms()))
      ->type_name("NAME")
      ->capture_default_str();
  command
      .add_option_function<std::string>(
          "--timeout", [&options](const std::string& text) { options.library_timeout = parse_duration(text); },
          "Time limit of a replay with an allocator library, which runs in its own process")
      ->type_name("DURATION")
      ->default_str("60s");
  command.add_flag("--json", options.json, "As JSON (gpucheck.replay/1), with every sample");
}

}  // namespace gpucheck::application
