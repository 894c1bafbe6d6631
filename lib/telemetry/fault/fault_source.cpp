#include "telemetry/fault/fault_source.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <thread>

#include "base/error.hpp"
#include "base/text/pci_address.hpp"
#include "telemetry/kernel_log/log_events.hpp"

namespace gpucheck::telemetry {
namespace {

[[noreturn]] void hang() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

/// One answer of the source, while a plan is carried out on it.
struct Answer {
  const Question& question;
  const GpuId& id;
  Machine& machine;

  /// The GPU that the plan is about; null where it is not in this answer.
  [[nodiscard]] Gpu* gpu() const {
    const auto found = std::ranges::find_if(machine.gpus, [this](const Gpu& each) { return is_gpu(each, id); });
    return found == machine.gpus.end() ? nullptr : &*found;
  }
};

// -- readings ------------------------------------------------------------------------------------

bool is_asked(const Value& value) {
  const std::string* const reason = problem(value);
  return reason == nullptr || *reason != not_asked;
}

/// The value that a rule is about; null where it was not asked.
Value* find(const Answer& answer, Reading reading) {
  Gpu* const gpu = answer.gpu();
  return gpu == nullptr || !is_asked((*gpu)[reading]) ? nullptr : &(*gpu)[reading];
}
Value* find(const Answer& answer, LinkReading reading) {
  Gpu* const gpu = answer.gpu();
  return gpu == nullptr || gpu->links.empty() ? nullptr : &gpu->links.front()[reading];
}

/// @param times how often the rule has been applied, this time included.
void change(Value& value, const FaultRule& rule, std::uint64_t times) {
  switch (rule.effect) {
    case FaultEffect::set:
      value = rule.value;
      return;
    case FaultEffect::rise:
      value = number(value).value_or(0) + *number(rule.value) * static_cast<std::int64_t>(times);
      return;
    case FaultEffect::not_supported:
      value = Unavailable{std::string(not_supported_text)};
      return;
    case FaultEffect::fail:
      value = Unavailable{.reason = "GPU is lost", .is_failure = true};
      return;
    case FaultEffect::hang:
      hang();
  }
}

// -- all else ------------------------------------------------------------------------------------

bool concerns_host(Aspect aspect) {
  switch (aspect) {
    case Aspect::kernel_xid:
    case Aspect::kernel_lines:
    case Aspect::kernel_log:
    case Aspect::unbound_gpu:
    case Aspect::device_file:
    case Aspect::library:
    case Aspect::kernel_module_version:
      return true;
    default:
      return false;
  }
}

bool is_asked(const Answer& answer, Aspect aspect) {
  if (concerns_host(aspect)) return answer.question.with_host;
  if (aspect == Aspect::network_file) return answer.question.with_network;
  const Gpu* const gpu = answer.gpu();
  if (aspect == Aspect::process) return gpu != nullptr && gpu->processes_problem != not_asked;
  if (aspect == Aspect::links_down) return gpu != nullptr && gpu->links_problem != not_asked;
  if (aspect == Aspect::neighbour) return gpu != nullptr && answer.question.gpus.empty();
  return aspect == Aspect::cuda_version || gpu != nullptr;
}

/// A machine without one is given one, so that it can be broken.
void break_last(std::vector<NamedState>& list, std::string& list_problem, const char* name, const std::string& why) {
  list_problem.clear();
  if (list.empty()) list.push_back({.name = name, .problem = ""});
  list.back().problem = why;
}

/// "Permission denied" of the last one, or "/dev/nvidia-uvm: Permission denied" of one by its name.
void break_device_file(Host& host, const std::string& what) {
  const std::size_t colon = what.find(": ");
  if (!what.starts_with("/dev/") || colon == std::string::npos) {
    return break_last(host.device_files, host.device_files_problem, "/dev/nvidia0", what);
  }
  NamedState broken{.name = what.substr(0, colon), .problem = what.substr(colon + 2)};
  std::erase_if(host.device_files, [&broken](const NamedState& file) { return file.name == broken.name; });
  host.device_files_problem.clear();
  host.device_files.push_back(std::move(broken));
}

void add_neighbour(Machine& machine, Gpu neighbour) {
  neighbour[Reading::uuid] = "GPU-ffffffff-ffff-ffff-ffff-ffffffffffff";
  neighbour[Reading::pci_address] = "0000:ff:00.0";
  machine.gpus.push_back(std::move(neighbour));
}

/// The driver writes "PCI:0000:3b:00", without the function.
void add_kernel_xid(Host& host, const GpuId& id, std::int64_t xid) {
  const std::string address = normal_pci_address(id.pci_address);
  host.kernel_log_problem.clear();
  host.kernel_events.push_back(
      {.kind = KernelEventKind::xid,
       .pci_address = address,
       .xid = xid,
       .text = fmt::format("NVRM: Xid (PCI:{}): {}", address.substr(0, address.find('.')), xid)});
}

/// Lines of the log, as they stand there. "ADDRESS" in them is that of the GPU that the plan is about.
void add_kernel_lines(Host& host, const GpuId& id, std::string lines) {
  host.kernel_log_problem.clear();
  constexpr std::string_view mark = "ADDRESS";
  constexpr std::string_view stand_in = "0000:fe:1f.7";  // a simulated GPU's own is none that a log could have
  for (std::size_t at = lines.find(mark); at != std::string::npos; at = lines.find(mark)) {
    lines.replace(at, mark.size(), stand_in);
  }
  for (KernelEvent& event : events_in_log(lines, {}).events) {
    if (event.pci_address == stand_in) event.pci_address = normal_pci_address(id.pci_address);
    host.kernel_events.push_back(std::move(event));
  }
}

/// What no file is there for is there then.
void change_file(NetworkFiles& network, const std::string& what) {
  const std::size_t equals = what.find('=');
  FileState& file = network.files[what.substr(0, equals)];
  file.text = equals == what.npos ? "" : what.substr(equals + 1);
  file.problem = equals == what.npos ? "No such device" : "";
}

void fail_links(Gpu& gpu) {
  gpu.links.clear();
  gpu.links_problem = "Unknown Error";
  gpu.links_failed = true;
}

/// What can fail besides readings.
bool can_fail(Aspect aspect) { return aspect == Aspect::links_down || aspect == Aspect::cuda_version; }

void fail(const Answer& answer, Aspect aspect) {
  if (aspect == Aspect::links_down) return fail_links(*answer.gpu());
  answer.machine.cuda_version = Unavailable{.reason = "Unknown Error", .is_failure = true};
}

void apply(const Answer& answer, Aspect aspect, const Value& value) {
  Machine& machine = answer.machine;
  Host& host = machine.host;
  switch (aspect) {
    case Aspect::gpu:
      std::erase_if(machine.gpus, [&answer](const Gpu& gpu) { return is_gpu(gpu, answer.id); });
      return;
    case Aspect::neighbour:
      return add_neighbour(machine, *answer.gpu());
    case Aspect::process:
      answer.gpu()->processes_problem.clear();
      answer.gpu()->processes.push_back({.pid = *number(value), .used_memory_bytes = {}});
      return;
    case Aspect::xid:
      answer.gpu()->xids_problem.clear();
      answer.gpu()->xids.push_back(*number(value));
      return;
    case Aspect::kernel_xid:
      return add_kernel_xid(host, answer.id, *number(value));
    case Aspect::kernel_lines:
      return add_kernel_lines(host, answer.id, *text(value));
    case Aspect::kernel_log:
      host.kernel_events.clear();
      host.kernel_log_problem = *text(value);
      return;
    case Aspect::unbound_gpu:
      host.pci_gpus_problem.clear();
      host.pci_gpus.push_back({.address = *text(value), .driver = ""});
      return;
    case Aspect::device_file:
      return break_device_file(host, *text(value));
    case Aspect::library:
      return break_last(host.libraries, host.libraries_problem, "libcuda.so.1", *text(value));
    case Aspect::kernel_module_version:
      host.kernel_module_version = *text(value);
      return;
    case Aspect::cuda_version:
      machine.cuda_version = *text(value);
      return;
    case Aspect::network_file:
      return change_file(machine.network, *text(value));
    case Aspect::links_down:
      for (Link& link : answer.gpu()->links) link[LinkReading::is_active] = false;
      return;
  }
}

class FaultSource final : public Source {
 public:
  FaultSource(std::unique_ptr<Source> inner, FaultPlan plan, GpuId id)
      : inner_(std::move(inner)), plan_(std::move(plan)), id_(std::move(id)), answers_(plan_.rules.size(), 0) {
    check(plan_);
  }

  Machine read(const Question& question) override {
    Machine machine = inner_->read(question);
    const Answer answer{.question = question, .id = id_, .machine = machine};
    for (std::size_t i = 0; i < plan_.rules.size(); ++i) carry_out(plan_.rules[i], answers_[i], answer);
    return machine;
  }

 private:
  static void carry_out(const FaultRule& rule, std::uint64_t& answers, const Answer& answer) {
    const auto is_due = [&] { return ++answers >= rule.first; };
    if (const auto* const aspect = std::get_if<Aspect>(&rule.what)) {
      if (!is_asked(answer, *aspect) || !is_due()) return;
      rule.effect == FaultEffect::fail ? fail(answer, *aspect) : apply(answer, *aspect, rule.value);
      return;
    }
    const auto* const reading = std::get_if<Reading>(&rule.what);
    Value* const value = reading != nullptr ? find(answer, *reading) : find(answer, std::get<LinkReading>(rule.what));
    if (value != nullptr && is_due()) change(*value, rule, answers - rule.first + 1);
  }

  std::unique_ptr<Source> inner_;
  FaultPlan plan_;
  GpuId id_;
  std::vector<std::uint64_t> answers_;  ///< in which each rule's subject was asked
};

bool needs_number(Aspect aspect) {
  return aspect == Aspect::process || aspect == Aspect::xid || aspect == Aspect::kernel_xid;
}

bool needs_nothing(Aspect aspect) {
  return aspect == Aspect::gpu || aspect == Aspect::neighbour || aspect == Aspect::links_down;
}

void check(const FaultRule& rule) {
  const auto reject = [](const char* why) {
    throw Error(fmt::format("this fault of telemetry makes no sense: {}", why));
  };
  if (rule.first == 0) reject("the first answer is number 1, not 0");
  if (rule.effect == FaultEffect::rise && !number(rule.value)) reject("what rises does so by a number");
  const auto* const aspect = std::get_if<Aspect>(&rule.what);
  if (aspect == nullptr || (rule.effect == FaultEffect::fail && can_fail(*aspect))) return;
  if (needs_nothing(*aspect) && rule.effect == FaultEffect::set) return;
  if (rule.effect != FaultEffect::set) reject("what is not a reading can only be set");
  if (needs_number(*aspect) && !number(rule.value)) reject("a number is needed");
  if (!needs_number(*aspect) && text(rule.value) == nullptr) reject("a text is needed");
}

}  // namespace

void check(const FaultPlan& plan) {
  for (const FaultRule& rule : plan.rules) check(rule);
}

std::unique_ptr<Source> inject(std::unique_ptr<Source> inner, FaultPlan plan, GpuId gpu) {
  return std::make_unique<FaultSource>(std::move(inner), std::move(plan), std::move(gpu));
}

}  // namespace gpucheck::telemetry
