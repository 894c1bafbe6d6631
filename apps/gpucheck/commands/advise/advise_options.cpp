#include "commands/advise/advise_options.hpp"

#include <limits>

#include "base/text/units.hpp"
#include "input/cli_options.hpp"

namespace gpucheck::application {

namespace {

constexpr const char* how_to_record =
    "To record SNAPSHOT, in the program that is to be advised on:\n"
    "  torch.cuda.memory._record_memory_history(max_entries=10_000_000)     # before the model is made\n"
    "  ...                                                                  # a few steps, or until memory runs out\n"
    "  torch.cuda.memory._dump_snapshot(\"snapshot.pickle\")                  # also where the error is caught\n"
    "Advice is on PyTorch's native allocator, whose memory history alone can be recorded: the asynchronous one\n"
    "(cudaMallocAsync) and pluggable ones record none. Memory that other processes lend (IPC) is not in it.\n"
    "Exit codes: 0 memory suffices under some of the settings (or none was limited); 1 it does not; 2 usage; 3 a file "
    "that cannot be read, or in which nothing is recorded.";

}  // namespace

void add_advise_options(CLI::App& command, AdviseOptions& options) {
  command
      .add_option("snapshot", options.files,
                  "A PyTorch memory snapshot (JSON, or the pickle of _dump_snapshot); of a job with several processes "
                  "those of all ranks: one setting is looked for that fits them all")
      ->required()
      ->type_name("SNAPSHOT");
  add_whole_number(command, "--device-index", options.recorded_device, 0, std::numeric_limits<int>::max(),
                   "Only what was recorded on this device; else on each");
  CLI::Option* const limit =
      command
          .add_option_function<std::string>(
              "--memory-limit", [&options](const std::string& text) { options.memory_limit_bytes = parse_bytes(text); },
              "Does the program fit into so much memory, for example 24GiB? Else the limit is what the file says of "
              "the device on which memory ran out")
          ->type_name("SIZE");
  command
      .add_option("--card", options.card,
                  "The same, with what a program can have of this card's memory, for example \"A100 40GB\"")
      ->type_name("NAME")
      ->excludes(limit);
  command
      .add_option("--settings", options.settings,
                  "Also show these allocator settings, as in PYTORCH_CUDA_ALLOC_CONF; may be repeated")
      ->type_name("STRING")
      ->allow_extra_args(false);
  command
      .add_option("--exclude-key", options.excluded_keys,
                  "Advise no settings with this key, for example expandable_segments; may be repeated")
      ->type_name("KEY")
      ->allow_extra_args(false);
  command.add_option("--torch", options.torch, "Advise only keys that this release of PyTorch knows, for example 2.6")
      ->type_name("VERSION");
  command
      .add_option("--html", options.html_path,
                  "Also write a self-contained page with pictures: the ranking, memory over time, what is live at the "
                  "peak; - is stdout")
      ->type_name("FILE");
  command.add_flag("--json", options.json, "As JSON (gpucheck.advice/1), with all that was tried");
  command.footer(how_to_record);
}

}  // namespace gpucheck::application
