#include "runner/worker/worker.hpp"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <iostream>
#include <new>
#include <optional>
#include <unistd.h>
#include <utility>

#include "base/files/output_file.hpp"
#include "base/host_refusal.hpp"
#include "device/fault/fault_driver.hpp"
#include "device/values/error_codes.hpp"
#include "harness/case/execute.hpp"
#include "harness/run/exit_codes.hpp"
#include "observe/device_trace/chrome_trace.hpp"
#include "observe/device_trace/tracing_driver.hpp"
#include "runner/worker/children.hpp"
#include "runner/worker/message_channel.hpp"
#include "runner/worker/neighbours.hpp"
#include "runner/worker/worker_telemetry.hpp"
#include "site/site_cases.hpp"

namespace gpucheck::runner {
namespace {

using harness::Execution;

/// A device ready for one case: opened afresh each time, so that what ran before in this
/// process cannot change what a case sees. (A GPU's context stays; it is the process's.)
OpenedDriver open_driver(const harness::RunSettings& settings, const harness::Fault* fault, DriverFactory make_driver) {
  OpenedDriver opened = make_driver(settings.device, settings.seed);
  if (fault != nullptr) {
    opened.driver = fault::inject(std::move(opened.driver), fault->plan_on(opened.ordinals.size()));
  }
  return opened;
}

/// The fault to run under; null for none.
const harness::Fault* fault_of(const harness::Case& test_case, const harness::RunSettings& settings) {
  if (settings.fault.empty()) return nullptr;
  const harness::Fault* const fault = test_case.find_fault(settings.fault);
  if (fault == nullptr) throw UsageError(fmt::format("{} has no fault \"{}\"", test_case.name, settings.fault));
  return fault;
}

std::string words(const char* call, device::Status status) {
  const std::string_view next = device::next_step_for(static_cast<int>(status));
  return fmt::format("{}: {}{}{}", call, device::status_words(status), next.empty() ? "" : ": ", next);
}

int count_devices(device::Driver& driver) {
  const auto count = driver.device_count();
  if (!count) throw EnvironmentError(words("counting the devices", count.error()));
  return *count;
}

/// What is known without a word of the device itself.
harness::DeviceIdentity unasked_identity(OpenedDriver& opened, int index) {
  const device::Driver::Versions versions = opened.driver->versions();
  harness::DeviceIdentity identity;
  identity.index = index;
  identity.kind = opened.driver->kind();
  identity.ordinal = opened.ordinals[static_cast<std::size_t>(index)];
  identity.driver_version = versions.driver;
  identity.cuda_driver_version = versions.cuda_driver;
  identity.cuda_runtime_version = versions.cuda_runtime;
  identity.note = opened.note;
  return identity;
}

void describe(harness::DeviceIdentity& identity, const device::DeviceProperties& properties) {
  identity.name = properties.name;
  identity.uuid = properties.uuid;
  identity.pci_bus_id = properties.pci_bus_id;
  identity.total_memory_bytes = properties.total_memory_bytes;
  identity.multiprocessor_count = properties.multiprocessor_count;
  identity.compute_capability_major = properties.compute_capability_major;
  identity.compute_capability_minor = properties.compute_capability_minor;
  identity.multiprocessor_clock_khz = properties.multiprocessor_clock_khz;
  identity.memory_clock_khz = properties.memory_clock_khz;
  identity.memory_bus_bits = properties.memory_bus_bits;
  identity.host_link_generation = properties.host_link.generation;
  identity.host_link_lanes = properties.host_link.lanes;
}

/// A device that cannot say what it is costs its own cases, not those of the others.
harness::DeviceIdentity identity_of(OpenedDriver& opened, int index) {
  harness::DeviceIdentity identity = unasked_identity(opened, index);
  const int ordinal = identity.ordinal;
  const auto properties = opened.driver->properties(ordinal);
  if (!properties) {
    identity.problem = words("asking what the device is", properties.error());
    return identity;
  }
  describe(identity, *properties);
  const device::PeerLink peer_link = opened.driver->peer_link(ordinal);
  identity.peer_links = peer_link.links;
  identity.peer_link_mbps = peer_link.mbps;
  return identity;
}

std::vector<DeviceGroup> groups_of(const OpenedDriver& opened) {
  std::vector<DeviceGroup> groups;
  const int count = static_cast<int>(opened.ordinals.size());
  for (int size = 1; size <= count; ++size) {
    for (std::vector<int>& devices : neighbours(count, size)) {
      std::vector<int> ordinals;
      ordinals.reserve(devices.size());
      for (const int index : devices) ordinals.push_back(opened.ordinals[static_cast<std::size_t>(index)]);
      groups.push_back({.devices = std::move(devices), .name = opened.name_of(ordinals)});
    }
  }
  return groups;
}

/// Where none of the devices can be used.
IdentityReply identify_unusable(OpenedDriver& opened) {
  IdentityReply reply;
  for (int index = 0; index < std::ssize(opened.ordinals); ++index) {
    harness::DeviceIdentity& identity = reply.devices.emplace_back(unasked_identity(opened, index));
    if (!opened.known.empty()) describe(identity, opened.known.at(static_cast<std::size_t>(index)));
    identity.problem = opened.problem;
  }
  reply.groups = groups_of(opened);
  return reply;
}

IdentityReply identify(OpenedDriver& opened) {
  if (opened.look_for_problem) opened.look_for_problem(opened);
  if (!opened.problem.empty()) return identify_unusable(opened);
  const int count = count_devices(*opened.driver);
  for (const int ordinal : opened.ordinals) {
    if (ordinal >= 0 && ordinal < count) continue;
    throw UsageError(
        fmt::format("there is no device {}: {} found, numbered from 0; gpucheck info shows them", ordinal, count));
  }
  IdentityReply reply;
  for (int index = 0; index < std::ssize(opened.ordinals); ++index) reply.devices.push_back(identity_of(opened, index));
  reply.groups = groups_of(opened);
  return reply;
}

/// Free memory cannot be known without a context, on a GPU: asking for it makes one.
void prepare(OpenedDriver& opened) {
  for (const int ordinal : opened.ordinals) {
    const auto device = opened.driver->open(ordinal);
    if (!device) throw EnvironmentError(words("opening the device", device.error()));
    const auto memory = (*device)->memory_info();
    if (!memory) throw EnvironmentError(words("making a context on the device", memory.error()));
  }
}

/// Records what the devices of a case do and writes it to a file at the end, if asked to. A trace that cannot be
/// written changes nothing of what the case showed.
class CaseTrace {
 public:
  /// Stands before the driver from now on.
  CaseTrace(const RunRequest& request, std::unique_ptr<device::Driver>& driver) : path_(request.trace_path) {
    if (path_.empty()) return;
    recorder_ = std::make_shared<observe::TraceRecorder>(*driver, request.case_name);
    driver = observe::trace(std::move(driver), recorder_);
  }

  /// Once the case's devices are closed. The reason why it is lost; empty where it is written, or was not asked for.
  [[nodiscard]] std::string write() const {
    if (path_.empty()) return {};
    try {
      OutputFile(path_, "trace", Writers::any, Links::replaced).commit(observe::chrome_trace(recorder_->finish()));
      return {};
    } catch (const std::exception& problem) {
      return problem.what();
    }
  }

 private:
  std::string path_;
  std::shared_ptr<observe::TraceRecorder> recorder_;
};

/// A range of the vendor's tools: from the command line of nsys one sees which case is
/// which.
class Range {
 public:
  Range(device::Driver& driver, const std::string& name) : driver_(driver) { driver.begin_range(name); }
  ~Range() { driver_.end_range(); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

 private:
  device::Driver& driver_;
};

Execution execute_on(OpenedDriver& opened, const harness::Case& test_case, const RunRequest& request,
                     std::shared_ptr<harness::GpuWatch> watch, MessageChannel& channel) {
  const Range range(*opened.driver, test_case.name);
  ProcessLauncher children({.case_name = test_case.name, .child_name = {}, .settings = request.settings});
  return harness::execute({.test_case = &test_case,
                           .driver = opened.driver.get(),
                           .ordinals = opened.ordinals,
                           .settings = request.settings,
                           .world = request.world,
                           .on_observation =
                               [&](const harness::Observation& observation) {
                                 channel.send(ObservationReply{request.sequence, observation});
                               },
                           .children = &children,
                           .watch = std::move(watch)});
}

/// What serves the requests.
struct Worker {
  const harness::Registry& registry;
  DriverFactory make_driver;
  WorkerTelemetry& telemetry;
};

/// A case of the site's own as its folder has it now; nothing for one that is built in.
/// @throws EnvironmentError for one that is not what the run selected any more.
std::optional<harness::Case> site_case(const RunRequest& request) {
  if (request.program_folder.empty()) return std::nullopt;
  harness::Case own = site::read_case(request.program_folder);
  if (own.name == request.case_name && own.program->digest == request.program_digest) return own;
  throw EnvironmentError(
      fmt::format("the case in {} is not what it was when the run began: somebody has changed its description, golden "
                  "file or program meanwhile; run it again",
                  request.program_folder));
}

/// @param lost_trace gets the reason why the trace is lost, where it is.
Execution execute(const RunRequest& request, const Worker& worker, MessageChannel& channel, std::string& lost_trace) {
  if (request.recording) worker.telemetry.use_recording(*request.recording);
  worker.telemetry.expect_silent_gpus(static_cast<int>(request.silent_gpus));
  const std::optional<harness::Case> own = site_case(request);
  const harness::Case& test_case = own ? *own : worker.registry.require(request.case_name);
  const harness::Fault* const fault = fault_of(test_case, request.settings);
  OpenedDriver opened = open_driver(request.settings, fault, worker.make_driver);
  auto watch = worker.telemetry.watch(*opened.driver, request.settings, request.gpus, fault);
  CaseTrace trace(request, opened.driver);
  Execution execution = execute_on(opened, test_case, request, std::move(watch), channel);
  lost_trace = trace.write();
  return execution;
}

void flush_output() {
  std::cout.flush();
  std::cerr.flush();
  std::fflush(nullptr);
}

ErrorReply current_error() {
  try {
    throw;
  } catch (const UsageError& error) {
    return {.usage = true, .text = error.what()};
  } catch (const std::exception& error) {
    return {.usage = false, .text = error.what()};
  }
}

Reply serve(const IdentifyRequest& request, const Worker& worker, MessageChannel&) {
  try {
    OpenedDriver opened = worker.make_driver(request.device, request.seed);
    return identify(opened);
  } catch (...) {
    return current_error();
  }
}

Reply serve(const PrepareRequest& request, const Worker& worker, MessageChannel&) {
  try {
    OpenedDriver opened = worker.make_driver(request.device, 0);
    worker.telemetry.prepare(*opened.driver, request.gpus);
    prepare(opened);
    return PreparedReply{};
  } catch (...) {
    return current_error();
  }
}

Reply serve(const RunRequest& request, const Worker& worker, MessageChannel& channel) {
  FinishedReply reply{.sequence = request.sequence, .execution = {}};
  try {
    reply.execution = execute(request, worker, channel, reply.lost_trace);
  } catch (const std::exception& error) {
    reply.execution.reason = error.what();  // an Execution is an error until it says otherwise
  }
  flush_output();
  return reply;
}

}  // namespace

int worker_main(int descriptor, const harness::Registry& registry, DriverFactory make_driver) {
  // By the line, so that what a case printed before it crashed is not lost in a buffer.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  std::set_new_handler([] {
    note_host_refusal("std::bad_alloc: the system refuses host memory");
    throw std::bad_alloc();
  });
  try {
    MessageChannel channel(descriptor);
    WorkerTelemetry telemetry(make_driver);
    const Worker worker{.registry = registry, .make_driver = make_driver, .telemetry = telemetry};
    while (const auto request = channel.receive()) {
      channel.send(std::visit([&](const auto& what) { return serve(what, worker, channel); }, *request));
    }
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "gpucheck worker: %s\n", error.what());
    return static_cast<int>(harness::ExitCode::not_judged);
  }
}

int child_main(const ChildRequest& request, const harness::Registry& registry, DriverFactory make_driver) {
  try {
    const harness::Case& test_case = registry.require(request.case_name);
    const harness::Child* child = test_case.find_child(request.child_name);
    if (child == nullptr) throw UsageError(fmt::format("{} has no child \"{}\"", test_case.name, request.child_name));
    const OpenedDriver opened = open_driver(request.settings, fault_of(test_case, request.settings), make_driver);
    return harness::execute_child({.test_case = &test_case,
                                   .driver = opened.driver.get(),
                                   .ordinals = opened.ordinals,
                                   .settings = request.settings,
                                   .on_observation = {},
                                   .children = nullptr,
                                   .watch = nullptr},
                                  *child);
  } catch (const Error& error) {
    std::fprintf(stderr, "gpucheck child: %s\n", error.what());
    return static_cast<int>(harness::ExitCode::not_judged);
  }
}

}  // namespace gpucheck::runner
