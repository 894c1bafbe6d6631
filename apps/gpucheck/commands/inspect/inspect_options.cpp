#include "commands/inspect/inspect_options.hpp"

#include <limits>

#include "input/cli_options.hpp"

namespace gpucheck::application {

void add_inspect_options(CLI::App& command, InspectOptions& options) {
  command.add_option("file", options.file, "A PyTorch memory snapshot (JSON, or the pickle of _dump_snapshot)")
      ->required()
      ->type_name("FILE");
  command
      .add_option("--html", options.html_path,
                  "Also write a self-contained page: memory over time, segments with their blocks; - is stdout")
      ->type_name("FILE");
  command
      .add_option("--compare", options.compared_file,
                  "Instead: what has more in use in this later snapshot (or that of another rank), by stack")
      ->type_name("FILE");
  add_whole_number(command, "--device-index", options.recorded_device, 0, std::numeric_limits<int>::max(),
                   "Only what was recorded on this device");
  command.add_flag("--json", options.json, "As JSON (gpucheck.snapshot/1; with --compare gpucheck.snapshot_growth/1)");
}

}  // namespace gpucheck::application
