#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/nvml/nvml_library.hpp"
#include "telemetry/nvml/asker.hpp"
#include "telemetry/nvml/nvml_questions.hpp"
#include "telemetry/nvml/side_by_side.hpp"
#include "telemetry/nvml/single_gpus.hpp"
#include "telemetry/nvml/xid_events.hpp"
#include "telemetry/source.hpp"

namespace gpucheck::telemetry {
namespace {

using nvml::Device;
using nvml::Library;
using nvml::Return;

bool is_asked(const Question& question, const Gpu& gpu) {
  return question.gpus.empty() ||
         std::ranges::any_of(question.gpus, [&gpu](const GpuId& id) { return is_gpu(gpu, id); });
}

class NvmlSource final : public Source {
 public:
  /// @param only null for all GPUs.
  explicit NvmlSource(const unsigned* only = nullptr)
      : versions_{.driver_version = system_text("nvmlSystemGetDriverVersion"),
                  .nvml_version = system_text("nvmlSystemGetNVMLVersion"),
                  .cuda_version = cuda_version(),
                  .gpus = {},
                  .host = {}} {
    const char* const function = "nvmlDeviceGetCount_v2";
    if (const Return code = library_.call(function, &count_); code != Return::success) {
      throw EnvironmentError(fmt::format("{}: {}", function, library_.text(code)));
    }
    for (unsigned index = 0; index < count_; ++index) {
      if (only == nullptr || *only == index) gpus_.push_back(find(index));
    }
  }

  Machine read(const Question& question) override {
    Machine machine = versions_;
    take_xids();
    for (KnownGpu& known : gpus_) {
      if (!question.with_gpus || !is_asked(question, known.identity)) continue;
      Gpu& gpu = machine.gpus.emplace_back(known.identity);
      if (known.device == nullptr) continue;
      nvml::ask(library_, known.device, question.subset, versions_.driver_version, gpu);
      known.identity[Reading::inforom_valid] = gpu[Reading::inforom_valid];
    }
    if (question.with_host) machine.host = read_host();
    if (question.with_network) machine.network = read_network_files();
    return machine;
  }

  /// The identity of the GPU that was asked for alone.
  [[nodiscard]] std::optional<Gpu> identity() const {
    if (gpus_.empty() || gpus_.front().device == nullptr) return {};
    return gpus_.front().identity;
  }

  [[nodiscard]] NvmlList list() const { return {.versions = versions_, .count = count_}; }

 private:
  /// A GPU, and what stays the same about it.
  struct KnownGpu {
    Device device = nullptr;
    Gpu identity;  ///< and the check of its infoROM, once that was made: it takes 70 ms
  };

  [[nodiscard]] Value system_text(const char* function) const {
    std::array<char, 96> buffer{};
    const Return code = library_.call(function, buffer.data(), static_cast<unsigned>(buffer.size()));
    return code == Return::success ? Value(std::string(buffer.data())) : nvml::without_answer(library_, function, code);
  }
  [[nodiscard]] Value cuda_version() const {
    const char* const function = "nvmlSystemGetCudaDriverVersion_v2";
    int version = 0;
    const Return code = library_.call(function, &version);
    if (code != Return::success) return nvml::without_answer(library_, function, code);
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  }

  [[nodiscard]] KnownGpu find(unsigned index) {
    KnownGpu known;
    const char* const function = "nvmlDeviceGetHandleByIndex_v2";
    if (const Return code = library_.call(function, index, &known.device); code != Return::success) {
      const std::string problem = fmt::format("{}: {}", function, library_.text(code));
      known.device = nullptr;
      known.identity.links_problem = known.identity.processes_problem = known.identity.xids_problem = problem;
      known.identity.links_failed = known.identity.processes_failed = known.identity.xids_failed =
          nvml::is_failure(code);
      known.identity.values.fill(Unavailable{.reason = problem, .is_failure = nvml::is_failure(code)});
      return known;
    }
    known.identity = nvml::ask_identity(library_, known.device);
    nvml::XidEvents::Listening listening = events_.listen(known.device);
    known.identity.xids_problem = std::move(listening.problem);
    known.identity.xids_failed = listening.has_failed;
    return known;
  }

  /// After a failure, of which nobody knows whose it is, some may be missing of each GPU.
  void take_xids() {
    const nvml::XidEvents::Taken taken = events_.take();
    for (const nvml::XidEvents::Xid& xid : taken.xids) {
      const auto its = std::ranges::find(gpus_, xid.device, &KnownGpu::device);
      if (its != gpus_.end()) its->identity.xids.push_back(xid.number);
    }
    if (taken.problem.empty()) return;
    for (KnownGpu& known : gpus_) {
      if (!known.identity.xids_problem.empty()) continue;
      known.identity.xids_problem = taken.problem;
      known.identity.xids_failed = true;
    }
  }

  Library library_;
  nvml::XidEvents events_{library_};
  unsigned count_ = 0;
  Machine versions_;  ///< without GPUs
  std::vector<KnownGpu> gpus_;
};

}  // namespace

std::unique_ptr<Source> open_nvml() { return open_nvml_within({}); }

std::unique_ptr<Source> open_nvml_within(GpuPatience patience) {
  constexpr unsigned none = ~0U;
  const auto list = std::make_shared<NvmlSource>(&none);
  auto [versions, count] = list->list();
  if (count <= 1) return std::make_unique<NvmlSource>();
  // Which keeps the library open.
  const auto open = [list](unsigned index) {
    auto source = std::make_unique<NvmlSource>(&index);
    std::optional<Gpu> identity = source->identity();
    return OpenedGpu{.source = std::move(source), .identity = std::move(identity)};
  };
  return ask_side_by_side(std::move(versions), count, open, std::move(patience));
}

std::unique_ptr<Source> open_nvml_gpu(unsigned index) { return std::make_unique<NvmlSource>(&index); }

NvmlList list_nvml() {
  constexpr unsigned none = ~0U;
  return NvmlSource(&none).list();
}

}  // namespace gpucheck::telemetry
