#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/nvml_library.hpp"
#include "telemetry/nvml/nvml_questions.hpp"
#include "telemetry/nvml/xid_events.hpp"
#include "telemetry/source.hpp"

namespace gpucheck::telemetry {
namespace {

using nvml::Device;
using nvml::Library;
using nvml::Return;

/// "13.580.159.04"; what cannot be read is taken for a newer one.
bool is_13_or_newer(const std::string& nvml_version) {
  int major = 13;
  std::from_chars(nvml_version.data(), nvml_version.data() + nvml_version.size(), major);
  return major >= 13;
}

bool is_asked(const Question& question, const Gpu& gpu) {
  return question.gpus.empty() ||
         std::ranges::any_of(question.gpus, [&gpu](const GpuId& id) { return is_gpu(gpu, id); });
}

class NvmlSource final : public Source {
 public:
  NvmlSource()
      : versions_{.driver_version = system_text("nvmlSystemGetDriverVersion"),
                  .nvml_version = system_text("nvmlSystemGetNVMLVersion"),
                  .cuda_version = cuda_version(),
                  .gpus = {},
                  .host = {}},
        is_nvml_13_(is_13_or_newer(versions_.nvml_version)) {
    const char* const function = "nvmlDeviceGetCount_v2";
    unsigned count = 0;
    if (const Return code = library_.call(function, &count); code != Return::success) {
      throw EnvironmentError(fmt::format("{}: {}", function, library_.text(code)));
    }
    for (unsigned index = 0; index < count; ++index) gpus_.push_back(find(index));
  }

  Machine read(const Question& question) override {
    Machine machine = versions_;
    take_xids();
    for (const KnownGpu& known : gpus_) {
      if (!is_asked(question, known.identity)) continue;
      Gpu& gpu = machine.gpus.emplace_back(known.identity);
      if (known.device != nullptr) nvml::ask(library_, known.device, question.subset, is_nvml_13_, gpu);
    }
    if (question.with_host) machine.host = read_host();
    return machine;
  }

 private:
  /// A GPU, and what stays the same about it.
  struct KnownGpu {
    Device device = nullptr;
    Gpu identity;
  };

  [[nodiscard]] std::string system_text(const char* function) const {
    std::array<char, 96> buffer{};
    const Return code = library_.call(function, buffer.data(), static_cast<unsigned>(buffer.size()));
    return code == Return::success ? buffer.data() : "";
  }
  [[nodiscard]] std::string cuda_version() const {
    int version = 0;
    if (library_.call("nvmlSystemGetCudaDriverVersion_v2", &version) != Return::success) return "";
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  }

  [[nodiscard]] KnownGpu find(unsigned index) {
    KnownGpu known;
    const char* const function = "nvmlDeviceGetHandleByIndex_v2";
    if (const Return code = library_.call(function, index, &known.device); code != Return::success) {
      const std::string problem = fmt::format("{}: {}", function, library_.text(code));
      known.device = nullptr;
      known.identity.processes_problem = known.identity.xids_problem = problem;
      known.identity.values.fill(Unavailable{.reason = problem, .is_failure = nvml::is_failure(code)});
      return known;
    }
    known.identity = nvml::ask_identity(library_, known.device);
    known.identity.xids_problem = events_.listen(known.device);
    return known;
  }

  void take_xids() {
    for (const nvml::XidEvents::Xid& xid : events_.take()) {
      const auto its = std::ranges::find(gpus_, xid.device, &KnownGpu::device);
      if (its != gpus_.end()) its->identity.xids.push_back(xid.number);
    }
  }

  Library library_;
  nvml::XidEvents events_{library_};
  Machine versions_;  ///< without GPUs
  bool is_nvml_13_;
  std::vector<KnownGpu> gpus_;
};

}  // namespace

std::unique_ptr<Source> open_nvml() { return std::make_unique<NvmlSource>(); }

}  // namespace gpucheck::telemetry
