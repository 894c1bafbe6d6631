#include "device/cuda/tracing/nvtx.hpp"

#include <atomic>
#include <cstdint>

// Where NVTX looks last for a tool, behind NVTX_INJECTION64_PATH: its headers want it declared
// first. Hidden: NVTX in other libraries of the process has its own tools.
extern "C" __attribute__((visibility("hidden"))) int (*InitializeInjectionNvtx2_fnptr)(const void* (*)(std::uint32_t));
#define NVTX_STATIC_INJECTION_IMPL
#include <nvtx3/nvToolsExt.h>

namespace gpucheck::cuda::nvtx {
namespace {

using device::RangeEvent;

device::RangeLog& range_log() {
  static device::RangeLog the_log;
  return the_log;
}
std::atomic<bool> attached = false;

void on_mark(const char* name) { range_log().keep({.kind = RangeEvent::Kind::mark, .name = name}); }

/// The level of the range that begins, as NVTX counts: from 0, for each thread.
thread_local int depth = 0;
int on_push(const char* name) {
  range_log().keep({.kind = RangeEvent::Kind::push, .name = name});
  return depth++;
}
int on_pop() {
  range_log().keep({.kind = RangeEvent::Kind::pop});
  return --depth;
}

std::atomic<nvtxRangeId_t> last_range = 0;
nvtxRangeId_t on_start(const char* name) {
  const nvtxRangeId_t range = ++last_range;
  range_log().keep({.kind = RangeEvent::Kind::start, .name = name, .range = range});
  return range;
}
void on_end(nvtxRangeId_t range) { range_log().keep({.kind = RangeEvent::Kind::end, .range = range}); }

/// NVTX calls it at the first use, and from then on what it puts into the table.
int attach(NvtxGetExportTableFunc_t export_table) {
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(export_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned int size = 0;
  if (callbacks == nullptr || callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size) == 0) return 0;
  if (size <= NVTX_CBID_CORE_RangePop) return 0;
  *table[NVTX_CBID_CORE_MarkA] = reinterpret_cast<NvtxFunctionPointer>(on_mark);
  *table[NVTX_CBID_CORE_RangePushA] = reinterpret_cast<NvtxFunctionPointer>(on_push);
  *table[NVTX_CBID_CORE_RangePop] = reinterpret_cast<NvtxFunctionPointer>(on_pop);
  *table[NVTX_CBID_CORE_RangeStartA] = reinterpret_cast<NvtxFunctionPointer>(on_start);
  *table[NVTX_CBID_CORE_RangeEnd] = reinterpret_cast<NvtxFunctionPointer>(on_end);
  attached = true;
  return 1;
}

}  // namespace

void mark(const std::string& name) { nvtxMarkA(name.c_str()); }
void push(const std::string& name) { nvtxRangePushA(name.c_str()); }
void pop() { nvtxRangePop(); }
std::uint64_t start(const std::string& name) { return nvtxRangeStartA(name.c_str()); }
void end(std::uint64_t range) { nvtxRangeEnd(range); }

std::optional<std::vector<device::RangeEvent>> hear(const std::function<void()>& action) {
  std::vector<device::RangeEvent> heard = range_log().during(action);
  if (!attached) return std::nullopt;
  return heard;
}

}  // namespace gpucheck::cuda::nvtx

int (*InitializeInjectionNvtx2_fnptr)(const void* (*)(std::uint32_t)) = gpucheck::cuda::nvtx::attach;
