#include "input/devices/unusable_gpus.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/text/pci_address.hpp"
#include "device/values/error_codes.hpp"
#include "input/devices/devices.hpp"
#include "telemetry/machine_source.hpp"
#include "telemetry/nvml/side_by_side.hpp"
#include "telemetry/sampler.hpp"

namespace gpucheck::application {
namespace {

using device::DeviceProperties;
using device::Status;
using telemetry::Reading;

std::string text_of(const telemetry::Value& value) {
  const std::string* const text = telemetry::text(value);
  return text == nullptr ? "" : *text;
}

/// Nothing where NVML does not work, or does not answer in time. A single GPU that does not is listed by its address,
/// as far as the bus says which it is.
std::vector<DeviceProperties> listed_by_nvml(const telemetry::Host& host) {
  constexpr std::chrono::milliseconds patience{3000};
  constexpr std::chrono::milliseconds patience_with_one{2000};
  std::vector<DeviceProperties> gpus;
  try {
    const auto open = [=] { return telemetry::open_nvml_within({.usual = patience_with_one}); };
    telemetry::Sampler sampler(open, {.patience = patience});
    telemetry::Machine machine = sampler.read({.subset = telemetry::Subset::gauges});
    machine.host = host;
    telemetry::name_silent_gpus(machine);
    for (const telemetry::Gpu& gpu : machine.gpus) {
      gpus.push_back({.name = text_of(gpu[Reading::name]),
                      .uuid = text_of(gpu[Reading::uuid]),
                      .pci_bus_id = normal_pci_address(text_of(gpu[Reading::pci_address]))});
    }
  } catch (const EnvironmentError&) {
    return {};
  }
  return gpus;
}

/// Those that are the NVIDIA driver's, or could be; all where another driver has each of them.
std::vector<DeviceProperties> on_the_bus(const telemetry::Host& host) {
  std::vector<DeviceProperties> own;
  std::vector<DeviceProperties> all;
  for (const telemetry::PciGpu& gpu : host.pci_gpus) {
    all.push_back({.name = "", .uuid = "", .pci_bus_id = gpu.address});
    if (gpu.driver.empty() || gpu.driver == "nvidia") own.push_back(all.back());
  }
  return own.empty() ? all : own;
}

/// What CUDA answers where there is nothing for it: no driver, or no GPU.
bool says_nothing_is_there(const device::Result<int>& count) {
  return count.has_value() || count.error() == Status::no_device || count.error() == Status::insufficient_driver;
}

/// Answers that only a loaded driver gives: a GPU that is taken, a fabric manager or MPS that is not ready, another
/// version of libcuda.
bool comes_from_a_loaded_driver(const device::Result<int>& count) {
  if (count.has_value()) return false;
  const int code = static_cast<int>(count.error());
  return code == 46 || code == 216 || (code >= 802 && code <= 810);
}

bool starts_with_in_any_case(std::string_view text, std::string_view beginning) {
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  return text.size() >= beginning.size() && std::ranges::equal(text.substr(0, beginning.size()), beginning, same);
}

/// The place of the one that an entry of CUDA_VISIBLE_DEVICES names.
std::optional<std::size_t> place_of(std::string_view entry, const std::vector<DeviceProperties>& gpus) {
  std::size_t number = 0;
  const auto [end, problem] = std::from_chars(entry.data(), entry.data() + entry.size(), number);
  if (problem == std::errc{} && end == entry.data() + entry.size()) {
    return number < gpus.size() ? std::optional(number) : std::nullopt;
  }
  if (!starts_with_in_any_case(entry, "GPU-")) return std::nullopt;
  const auto is_meant = [entry](const DeviceProperties& gpu) { return starts_with_in_any_case(gpu.uuid, entry); };
  const auto found = std::ranges::find_if(gpus, is_meant);
  return found == gpus.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - gpus.begin()));
}

class AbsentCuda final : public device::Driver {
 public:
  [[nodiscard]] std::string_view kind() const noexcept override { return "cuda"; }
  [[nodiscard]] device::Result<int> device_count() override { return Status::insufficient_driver; }
  [[nodiscard]] device::Result<int> device_count_without_initialising() override { return Status::insufficient_driver; }
  [[nodiscard]] std::string_view visible_devices_variable() const noexcept override { return "CUDA_VISIBLE_DEVICES"; }
  [[nodiscard]] device::Result<std::unique_ptr<device::Device>> open(int /*ordinal*/) override {
    return Status::insufficient_driver;
  }
  [[nodiscard]] Versions versions() override { return {}; }
};

bool is_built_without_cuda() { return make_cuda_driver() == nullptr; }

}  // namespace

MachineLook look_at_machine() {
  MachineLook look{.driver = telemetry::look_at_driver(), .gpus = {}};
  look.gpus = listed_by_nvml(look.driver.host);
  if (look.gpus.empty()) look.gpus = on_the_bus(look.driver.host);
  return look;
}

bool has_gpu(const MachineLook& look, const device::Result<int>& count) {
  return look.driver.has_gpu() || !look.gpus.empty() || !says_nothing_is_there(count);
}

std::string cuda_problem(const MachineLook& look, const device::Result<int>& count, const char* visible_devices) {
  std::string missing = telemetry::missing_part(look.driver);
  // A sandbox may hide the driver from the file system.
  if (comes_from_a_loaded_driver(count) && !look.driver.has_module) missing.clear();
  if (is_built_without_cuda()) {
    if (look.driver.signs.empty()) return fmt::format("{}: build it where nvcc is installed", without_cuda);
    return fmt::format("{}{}, and this machine has a GPU ({}): build gpucheck where nvcc is installed",
                       missing.empty() ? "" : missing + "; ", without_cuda, fmt::join(look.driver.signs, ", "));
  }
  std::string text = missing.empty() ? "" : missing + "; ";
  if (count.has_value()) {
    text += "CUDA has no device to offer: compare with nvidia-smi -L";
  } else {
    text += fmt::format("CUDA does not start: {}", device::status_words(count.error()));
    const std::string_view next = device::next_step_for(static_cast<int>(count.error()));
    if (!next.empty() && (missing.empty() || !says_nothing_is_there(count))) text += fmt::format(": {}", next);
  }
  if (visible_devices != nullptr) text += fmt::format("; CUDA_VISIBLE_DEVICES is \"{}\"", visible_devices);
  return text;
}

std::vector<DeviceProperties> visible_gpus(std::vector<DeviceProperties> gpus, const char* visible_devices) {
  if (visible_devices == nullptr) return gpus;
  std::vector<DeviceProperties> visible;
  std::string_view left(visible_devices);
  while (!left.empty()) {
    const std::size_t end = left.find(',');
    const std::optional<std::size_t> place = place_of(left.substr(0, end), gpus);
    if (!place) break;
    visible.push_back(gpus[*place]);
    left.remove_prefix(end == std::string_view::npos ? left.size() : end + 1);
  }
  return visible.empty() ? gpus : visible;
}

std::unique_ptr<device::Driver> make_absent_cuda_driver() { return std::make_unique<AbsentCuda>(); }

}  // namespace gpucheck::application
