#include <string>
#include <vector>

#include "base/text/units.hpp"
#include "cases/snapshot/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "observe/history/scope.hpp"

namespace gpucheck::cases::in_snapshot::history_labels {
namespace {

using namespace literals;
using runtime::MemoryAction;

/// "name START" or "name END".
std::vector<std::string> scopes(const observe::MemorySnapshot& snapshot) {
  std::vector<std::string> texts;
  for (const observe::Annotation& annotation : snapshot.annotations) {
    texts.push_back(annotation.name + (annotation.stage == observe::AnnotationStage::start ? " START" : " END"));
  }
  return texts;
}

/// "bytes: compile context, metadata" of each allocation.
std::vector<std::string> labels(const observe::MemorySnapshot& snapshot) {
  std::vector<std::string> texts;
  for (const observe::TraceEntry& entry : snapshot.trace) {
    if (entry.action != MemoryAction::alloc) continue;
    texts.push_back(std::to_string(entry.size) + ": " + entry.compile_context + ", " + entry.user_metadata);
  }
  return texts;
}

/// Allocations before, in and after nested compile contexts.
void allocate_with_labels(runtime::Runtime& runtime, observe::MemoryHistory& history) {
  const auto allocate = [&](std::size_t bytes) {
    const runtime::Buffer<std::uint8_t> block(runtime, bytes, runtime.current_stream());
  };
  allocate(1000);
  history.set_user_metadata("step 1");
  history.push_compile_context("graph 0");
  history.push_compile_context("graph 1");
  allocate(1001);
  history.pop_compile_context();
  allocate(1002);
  history.pop_compile_context();
  history.set_user_metadata("");
  allocate(1003);
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  observe::MemoryHistory history(runtime.caching_allocator(), context.device().ordinal());
  { const observe::Scope unrecorded(history, "warm-up"); }
  history.record({.context = observe::ContextLevel::none});
  observe_error_of(context, "error", [&] {
    const observe::Scope forward(history, "forward");
    const observe::Scope layer(history, "layer");
    allocate_with_labels(runtime, history);
  });
  const observe::MemorySnapshot snapshot = history.snapshot();
  context.observe("scopes", harness::Value(scopes(snapshot)));
  context.observe("labels", harness::Value(labels(snapshot)));
}

}  // namespace

harness::Case define() {
  return {
      .name = "snapshot.history_labels",
      .summary = "A memory history notes the user's scopes, and with each event the compile context and metadata then",
      .source = "torch.cuda.memory._snapshot() of PyTorch 2.11: external_annotations, compile_context, user_metadata",
      .needs = {.memory_bytes = 64_MiB, .caching_allocator = true},
      .faults = {{.name = "allocation_fails",
                  .summary = "the device fails to allocate memory that it has",
                  .plan = fault::allocation_fails(fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_snapshot::history_labels
