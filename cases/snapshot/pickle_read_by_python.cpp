#include <fmt/format.h>

#include "cases/snapshot/python_support.hpp"
#include "cases/snapshot/support.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_snapshot::pickle_read_by_python {
namespace {

using observe::ContextLevel;

/// Prints blocks of the seed's tensor, whether their frames name ::rand, and the last event.
constexpr std::string_view program = R"(
import pickle, sys
with open(sys.argv[1], "rb") as file:
    snapshot = pickle.load(file)
size = int(sys.argv[3])
blocks = [block for segment in snapshot["segments"] for block in segment["blocks"]
          if block["state"] == "active_allocated" and block["requested_size"] == size]
last = snapshot["device_traces"][int(sys.argv[2])][-1]
print(len(blocks), "::rand(" in str([block["frames"] for block in blocks]), last["action"], last["size"])
)";

std::string found_by_python(harness::Context& context, ContextLevel level) {
  runtime::Runtime& runtime = context.runtime();
  runtime.allocator().empty_cache();
  observe::MemoryHistory history(runtime.caching_allocator(), context.device().ordinal());
  history.record({.context = level, .max_entries = 10});
  const runtime::Buffer<float> x = random_tensor(runtime, seed_elements);
  const std::string pickle = pickle_of(history.snapshot());
  return run_python(program, pickle, {fmt::format("{}", context.device().ordinal()), fmt::format("{}", seed_bytes)});
}

void run(harness::Context& context) {
  require_symbols();
  context.observe("with_context", harness::Value(found_by_python(context, ContextLevel::all)));
  context.observe("without_context", harness::Value(found_by_python(context, ContextLevel::none)));
}

}  // namespace

harness::Case define() {
  return {
      .name = "snapshot.pickle_read_by_python",
      .summary = "Python's own pickle module reads a snapshot as gpucheck's reader does",
      .source = "torch.cuda.memory._dump_snapshot, as its users read it",
      .faults = allocation_faults(),
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_snapshot::pickle_read_by_python
