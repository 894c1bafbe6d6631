#include "input/machine/machine_state.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"
#include "harness/run/json.hpp"
#include "input/devices/devices.hpp"
#include "input/machine/found_devices.hpp"
#include "runner/process/separate_calls.hpp"
#include "runner/runner.hpp"
#include "telemetry/machine/driver_state.hpp"
#include "telemetry/machine/machine_file.hpp"
#include "telemetry/nvml/single_gpus.hpp"

namespace gpucheck::application {
namespace {

using Clock = std::chrono::steady_clock;
using Wire = nlohmann::json;
using runner::SeparateAnswer;
using runner::SeparateCalls;
using telemetry::Gpu;
using telemetry::Machine;
using telemetry::Reading;

std::string no_answer() {
  return fmt::format("no answer within {:.1f} s", std::chrono::duration<double>(answer_limit).count());
}

constexpr std::string_view next_step =
    "look at the kernel's log (dmesg | grep -i -e nvrm -e xid), drain the machine, and reset the GPU or restart";

/// What the driver left out for want of time.
void mark_missing(Gpu& gpu) {
  for (telemetry::Value& value : gpu.values) {
    const std::string* const problem = telemetry::problem(value);
    if (problem != nullptr && (problem->empty() || *problem == telemetry::not_asked)) {
      value = telemetry::Unavailable{.reason = no_answer(), .is_failure = true};
    }
  }
  const auto mark = [](std::string& problem, bool& has_failed) {
    if (problem != telemetry::not_asked) return;
    problem = no_answer();
    has_failed = true;
  };
  mark(gpu.links_problem, gpu.links_failed);
  mark(gpu.processes_problem, gpu.processes_failed);
  mark(gpu.xids_problem, gpu.xids_failed);
}

Gpu silent_gpu() {
  Gpu gpu;
  gpu.links_problem = gpu.processes_problem = gpu.xids_problem = telemetry::not_asked;
  mark_missing(gpu);
  return gpu;
}

/// A few calls at a time, so that something is known of a GPU that stops answering half way.
void send_gpu(unsigned index, const SeparateCalls::Send& send) {
  using telemetry::Subset;
  const auto source = telemetry::open_nvml_gpu(index);
  for (const Subset subset : {Subset::gauges, Subset::counters, Subset::everything}) {
    send(telemetry::machine_text(source->read({.subset = subset})));
  }
}

void send_list(const SeparateCalls::Send& send) {
  const telemetry::NvmlList list = telemetry::list_nvml();
  send(Wire{{"versions", telemetry::machine_text(list.versions)}, {"count", list.count}}.dump());
}

void send_host(const SeparateCalls::Send& send) {
  Machine machine;
  machine.host = telemetry::read_host();
  send(telemetry::machine_text(machine));
}

void send_network(const SeparateCalls::Send& send) {
  Machine machine;
  machine.network = telemetry::read_network_files();
  send(telemetry::machine_text(machine));
}

Machine parsed(const std::string& text) { return telemetry::parse_machine(text, "the answer of the driver"); }

/// The questions about GPUs that are under way.
class GpuQuestions {
 public:
  GpuQuestions(SeparateCalls& calls, Clock::time_point deadline)
      : calls_(calls),
        deadline_(deadline),
        host_(calls.begin(send_host)),
        network_(calls.begin(send_network)),
        list_(calls.begin(send_list)) {}

  [[nodiscard]] MachineState answer() {
    MachineState state;
    const bool is_listed = calls_.wait({list_}, deadline_);
    const SeparateAnswer& list = calls_.answer(list_);
    unsigned count = 0;
    if (!list.text.empty()) {
      const Wire told = Wire::parse(list.text);
      state.machine = parsed(told.at("versions").get<std::string>());
      count = told.at("count").get<unsigned>();
    } else {
      state.problem = is_listed ? list.problem : fmt::format("NVML gives {}: {}", no_answer(), next_step);
    }
    ask_each(count, state);
    take_host(state);
    take_network(state.machine.network);
    name_silent(state);
    return state;
  }

 private:
  void ask_each(unsigned count, MachineState& state) {
    std::vector<std::size_t> numbers;
    for (unsigned index = 0; index < count; ++index) {
      numbers.push_back(calls_.begin([index](const SeparateCalls::Send& send) { send_gpu(index, send); }));
    }
    static_cast<void>(calls_.wait(numbers, deadline_));
    for (const std::size_t number : numbers) {
      const SeparateAnswer& answer = calls_.answer(number);
      const bool is_whole = answer.is_over && answer.problem.empty();
      std::vector<Gpu> gpus = answer.text.empty() ? std::vector<Gpu>{} : parsed(answer.text).gpus;
      Gpu gpu = gpus.empty() ? silent_gpu() : std::move(gpus.front());
      if (!is_whole) {
        mark_missing(gpu);
        incomplete_.push_back({state.machine.gpus.size(), answer.is_over ? answer.problem : no_answer()});
      }
      state.machine.gpus.push_back(std::move(gpu));
    }
  }

  void take_host(MachineState& state) {
    static_cast<void>(calls_.wait({host_}, deadline_));
    const SeparateAnswer& answer = calls_.answer(host_);
    if (!answer.text.empty()) {
      state.machine.host = parsed(answer.text).host;
      return;
    }
    telemetry::Host& host = state.machine.host;
    host.pci_gpus_problem = host.device_files_problem = host.libraries_problem = host.kernel_log_problem =
        answer.problem.empty() ? no_answer() : answer.problem;
  }

  void take_network(telemetry::NetworkFiles& network) {
    static_cast<void>(calls_.wait({network_}, deadline_));
    const SeparateAnswer& answer = calls_.answer(network_);
    if (!answer.text.empty()) {
      network = parsed(answer.text).network;
      return;
    }
    network.problem = answer.problem.empty() ? no_answer() : answer.problem;
    network.failed = true;
  }

  /// The GPUs on the bus that are the driver's and from which no answer came.
  [[nodiscard]] static std::vector<std::string> unheard(const Machine& machine) {
    std::vector<std::string> addresses;
    for (const telemetry::PciGpu& on_bus : machine.host.pci_gpus) {
      const bool is_heard = telemetry::find_gpu(machine, {.uuid = "", .pci_address = on_bus.address}) != nullptr;
      if (on_bus.driver == "nvidia" && !is_heard) addresses.push_back(on_bus.address);
    }
    return addresses;
  }

  void name_silent(MachineState& state) const {
    Machine& machine = state.machine;
    const std::vector<std::string> addresses = unheard(machine);
    const auto is_nameless = [&machine](const auto& each) {
      return telemetry::text(machine.gpus[each.gpu][Reading::pci_address]) == nullptr;
    };
    const bool are_known = std::ranges::count_if(incomplete_, is_nameless) == std::ssize(addresses);
    auto next = addresses.begin();
    for (const Incomplete& each : incomplete_) {
      Gpu& gpu = machine.gpus[each.gpu];
      if (is_nameless(each) && are_known) gpu[Reading::pci_address] = *next++;
      const std::string* const address = telemetry::text(gpu[Reading::pci_address]);
      const std::string* const uuid = telemetry::text(gpu[Reading::uuid]);
      state.silent.push_back(fmt::format("GPU {}{}{} does not answer ({}): {}", each.gpu,
                                         address == nullptr ? "" : " at " + *address,
                                         uuid == nullptr ? "" : ", " + *uuid, each.problem, next_step));
    }
    if (state.problem.empty() || calls_.answer(list_).is_over) return;
    for (const std::string& address : addresses) {
      Gpu& gpu = machine.gpus.emplace_back(silent_gpu());
      gpu[Reading::pci_address] = address;
      state.silent.push_back(fmt::format("GPU at {} does not answer ({}): {}", address, no_answer(), next_step));
    }
  }

  struct Incomplete {
    std::size_t gpu;
    std::string problem;
  };

  SeparateCalls& calls_;
  Clock::time_point deadline_;
  std::size_t host_;
  std::size_t network_;
  std::size_t list_;
  std::vector<Incomplete> incomplete_;
};

MachineReport::Devices cuda_devices(const SeparateAnswer& answer) {
  MachineReport::Devices devices = answer.text.empty() ? MachineReport::Devices{} : cuda_devices_from(answer.text);
  if (!answer.is_over) devices.problem = fmt::format("{}: {}", no_answer(), next_step);
  if (!answer.problem.empty()) devices.problem = answer.problem;
  return devices;
}

LibraryReport library(std::size_t index, const SeparateAnswer& answer) {
  LibraryReport report{.name = library_names()[index], .path = "", .version = "", .problem = ""};
  if (answer.text.empty()) {
    report.problem = !answer.problem.empty() ? answer.problem : no_answer();
    return report;
  }
  const Wire told = Wire::parse(answer.text);
  report.path = told.at("path").get<std::string>();
  report.version = told.at("version").get<std::string>();
  report.problem = told.at("problem").get<std::string>();
  return report;
}

void send_library(std::size_t index, const SeparateCalls::Send& send) {
  const LibraryReport found = find_library(index);
  const Wire told{{"path", found.path}, {"version", found.version}, {"problem", found.problem}};
  send(told.dump(-1, ' ', false, Wire::error_handler_t::replace));
}

}  // namespace

std::vector<harness::DeviceIdentity> ask_devices(const std::string& device_name) {
  const Clock::time_point deadline = Clock::now() + answer_limit;
  check_device_name(device_name);
  SeparateCalls calls;
  const std::size_t call = calls.begin([&device_name](const SeparateCalls::Send& send) {
    runner::Options options;
    options.program = "/proc/self/exe";
    options.settings.device = device_name;
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const harness::DeviceIdentity& device : runner::identify_devices(options)) {
      list.push_back(harness::to_json(device));
    }
    send(list.dump(-1, ' ', false, Wire::error_handler_t::replace));
  });
  static_cast<void>(calls.wait({call}, deadline));
  const SeparateAnswer& answer = calls.answer(call);
  if (answer.is_over && answer.text.empty()) throw EnvironmentError(answer.problem);
  std::vector<harness::DeviceIdentity> devices;
  if (answer.text.empty()) {
    devices.emplace_back().kind = "cuda";
    devices.back().problem = fmt::format("{}: {}", no_answer(), next_step);
    return devices;
  }
  for (const auto& device : nlohmann::ordered_json::parse(answer.text)) {
    devices.push_back(harness::device_identity_from_json(device));
  }
  return devices;
}

MachineState ask_gpus() {
  SeparateCalls calls;
  return GpuQuestions(calls, Clock::now() + answer_limit).answer();
}

MachineAnswers ask_machine() {
  const Clock::time_point deadline = Clock::now() + answer_limit;
  SeparateCalls calls;
  const std::size_t cuda = calls.begin(send_cuda_devices);
  std::vector<std::size_t> libraries;
  for (std::size_t i = 0; i < library_names().size(); ++i) {
    libraries.push_back(calls.begin([i](const SeparateCalls::Send& send) { send_library(i, send); }));
  }
  MachineAnswers answers;
  answers.state = GpuQuestions(calls, deadline).answer();
  static_cast<void>(calls.wait(libraries, deadline));
  static_cast<void>(calls.wait({cuda}, deadline));
  answers.report.cuda = cuda_devices(calls.answer(cuda));
  for (std::size_t i = 0; i < libraries.size(); ++i) {
    answers.report.libraries.push_back(library(i, calls.answer(libraries[i])));
  }
  answers.report.silent_gpus = answers.state.silent;
  return answers;
}

}  // namespace gpucheck::application
