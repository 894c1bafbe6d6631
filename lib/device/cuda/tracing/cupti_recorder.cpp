#include "device/cuda/tracing/cupti_recorder.hpp"

#include <array>
#include <cstdlib>
#include <cupti.h>
#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace gpucheck::cuda {
namespace {

using device::Activity;
using device::ActivityKind;

/// The functions used, found at run time by their names.
struct Cupti {
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityDisable) disable = nullptr;
  decltype(&cuptiActivityFlushAll) flush_all = nullptr;
  decltype(&cuptiActivityGetNextRecord) next_record = nullptr;
  decltype(&cuptiActivityPushExternalCorrelationId) push_call = nullptr;
  decltype(&cuptiActivityPopExternalCorrelationId) pop_call = nullptr;
  decltype(&cuptiGetTimestamp) timestamp = nullptr;
  decltype(&cuptiGetStreamIdEx) stream_id = nullptr;
  decltype(&cuptiGetResultString) result_text = nullptr;
  std::string problem;
};

constexpr std::array<const char*, 4> library_names = {"libcupti.so.13", "/usr/local/cuda/lib64/libcupti.so.13",
                                                      "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13",
                                                      "libcupti.so"};

void* open_library() {
  for (const char* name : library_names) {
    if (void* library = dlopen(name, RTLD_LAZY | RTLD_LOCAL); library != nullptr) return library;
  }
  return nullptr;
}

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

Cupti load() {
  Cupti cupti;
  void* const library = open_library();
  if (library == nullptr) {
    cupti.problem = fmt::format("CUPTI cannot be loaded: no {}", fmt::join(library_names, ", "));
    return cupti;
  }
  const bool complete =
      find(library, "cuptiActivityRegisterCallbacks", cupti.register_callbacks) &&
      find(library, "cuptiActivityEnable", cupti.enable) && find(library, "cuptiActivityDisable", cupti.disable) &&
      find(library, "cuptiActivityFlushAll", cupti.flush_all) &&
      find(library, "cuptiActivityGetNextRecord", cupti.next_record) &&
      find(library, "cuptiActivityPushExternalCorrelationId", cupti.push_call) &&
      find(library, "cuptiActivityPopExternalCorrelationId", cupti.pop_call) &&
      find(library, "cuptiGetTimestamp", cupti.timestamp) && find(library, "cuptiGetStreamIdEx", cupti.stream_id) &&
      find(library, "cuptiGetResultString", cupti.result_text);
  if (!complete) cupti.problem = "CUPTI lacks a function that is needed: it is not of CUDA 13";
  return cupti;
}

const Cupti& cupti() {
  static const Cupti loaded = load();
  return loaded;
}

/// The kinds of records asked for. An external correlation, which says to which of our
/// calls something belongs, comes with the runtime call that it was made in.
constexpr std::array kinds = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                              CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_RUNTIME,
                              CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION};

/// Records that CUPTI delivered, on whatever thread it likes.
struct Delivered {
  std::mutex mutex;
  std::vector<std::pair<Activity, std::uint32_t>> activities;  // with CUPTI's correlation
  std::unordered_map<std::uint32_t, std::uint64_t> calls;      // ours, by CUPTI's correlation
};

Delivered& delivered() {
  static Delivered records;
  return records;
}

std::string demangled(const char* name) {
  if (name == nullptr) return "kernel";
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 ? text.get() : name;
}

template <typename Record>
Activity activity_of(const Record& record, ActivityKind kind, std::string name) {
  Activity activity{.kind = kind, .name = std::move(name)};
  activity.device = static_cast<int>(record.deviceId);
  activity.stream = record.streamId;
  activity.start_ns = record.start;
  activity.end_ns = record.end;
  return activity;
}

const char* text_of(std::uint8_t copy_kind) {
  switch (copy_kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
      return "copy, host to device";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
      return "copy, device to host";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
      return "copy, device to device";
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
      return "copy, device to another device";
    default:
      return "copy";
  }
}

void keep(const CUpti_Activity& record) {
  Delivered& records = delivered();
  const std::lock_guard lock(records.mutex);
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
      const auto& kernel = reinterpret_cast<const CUpti_ActivityKernel10&>(record);
      records.activities.emplace_back(activity_of(kernel, ActivityKind::kernel, demangled(kernel.name)),
                                      kernel.correlationId);
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto& copy = reinterpret_cast<const CUpti_ActivityMemcpy6&>(record);
      Activity activity = activity_of(copy, ActivityKind::copy, text_of(copy.copyKind));
      activity.bytes = copy.bytes;
      records.activities.emplace_back(std::move(activity), copy.correlationId);
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto& fill = reinterpret_cast<const CUpti_ActivityMemset4&>(record);
      Activity activity = activity_of(fill, ActivityKind::fill, "fill");
      activity.bytes = fill.bytes;
      records.activities.emplace_back(std::move(activity), fill.correlationId);
      break;
    }
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
      const auto& correlation = reinterpret_cast<const CUpti_ActivityExternalCorrelation&>(record);
      records.calls[correlation.correlationId] = correlation.externalId;
      break;
    }
    default:
      break;
  }
}

constexpr std::size_t buffer_bytes = std::size_t{4} << 20U;
constexpr std::align_val_t buffer_alignment{8};

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records) {
  *buffer = static_cast<std::uint8_t*>(::operator new(buffer_bytes, buffer_alignment));
  *bytes = buffer_bytes;
  *max_records = 0;  // as many as there is room for
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid_bytes) {
  CUpti_Activity* record = nullptr;
  while (valid_bytes > 0 && cupti().next_record(buffer, valid_bytes, &record) == CUPTI_SUCCESS) keep(*record);
  ::operator delete(buffer, buffer_alignment);
}

/// Empty when it went well.
std::string start() {
  const auto problem_of = [](CUptiResult result) -> std::string {
    if (result == CUPTI_SUCCESS) return {};
    const char* text = nullptr;
    static_cast<void>(cupti().result_text(result, &text));
    return fmt::format("CUPTI does not record: {}", text != nullptr ? text : "unknown error");
  };
  static const std::string registered = problem_of(cupti().register_callbacks(give_buffer, take_buffer));
  if (!registered.empty()) return registered;
  for (const CUpti_ActivityKind kind : kinds) {
    if (std::string problem = problem_of(cupti().enable(kind)); !problem.empty()) return problem;
  }
  return {};
}

class CuptiRecorder final : public device::ActivityRecorder {
 public:
  ~CuptiRecorder() override { static_cast<void>(stop()); }

  [[nodiscard]] std::string_view source() const noexcept override { return "cupti"; }

  [[nodiscard]] std::uint64_t now_ns() override {
    std::uint64_t now = 0;
    static_cast<void>(cupti().timestamp(&now));
    return now;
  }

  void begin_call(std::uint64_t call) override {
    static_cast<void>(cupti().push_call(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, call));
  }
  void end_call() override {
    std::uint64_t call = 0;
    static_cast<void>(cupti().pop_call(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &call));
  }

  [[nodiscard]] std::uint64_t number_of(device::Stream stream) override {
    std::uint32_t number = 0;
    static_cast<void>(cupti().stream_id(nullptr, reinterpret_cast<CUstream>(stream.value), 0, &number));
    return number;
  }

  [[nodiscard]] std::vector<Activity> finish() override { return stop(); }

 private:
  std::vector<Activity> stop() {
    if (std::exchange(stopped_, true)) return {};
    static_cast<void>(cupti().flush_all(0));
    for (const CUpti_ActivityKind kind : kinds) static_cast<void>(cupti().disable(kind));
    Delivered& records = delivered();
    const std::lock_guard lock(records.mutex);
    std::vector<Activity> activities;
    activities.reserve(records.activities.size());
    for (auto& [activity, correlation] : records.activities) {
      const auto call = records.calls.find(correlation);
      if (call != records.calls.end()) activity.call = call->second;
      activities.push_back(std::move(activity));
    }
    records.activities.clear();
    records.calls.clear();
    return activities;
  }

  bool stopped_ = false;
};

}  // namespace

device::ActivityRecording record_with_cupti() {
  if (!cupti().problem.empty()) return {nullptr, cupti().problem};
  if (std::string problem = start(); !problem.empty()) return {nullptr, std::move(problem)};
  return {std::make_unique<CuptiRecorder>(), ""};
}

}  // namespace gpucheck::cuda
