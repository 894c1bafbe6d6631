#include "runner/worker.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <iostream>
#include <unistd.h>
#include <utility>

#include "device/fault/fault_driver.hpp"
#include "harness/execute.hpp"
#include "harness/exit_codes.hpp"
#include "runner/children.hpp"
#include "runner/message_channel.hpp"

namespace gpucheck::runner {
namespace {

using harness::Execution;

/// A device ready for one case: opened afresh each time, so that what ran before in this
/// process cannot change what a case sees. (A GPU's context stays; it is the process's.)
OpenedDriver open_driver(const harness::Case& which, const harness::RunSettings& settings, DriverFactory make_driver) {
  OpenedDriver opened = make_driver(settings.device, settings.seed);
  if (settings.fault.empty()) return opened;
  const harness::Fault* fault = which.find_fault(settings.fault);
  if (fault == nullptr) throw UsageError(fmt::format("{} has no fault \"{}\"", which.name, settings.fault));
  opened.driver = fault::inject(std::move(opened.driver), fault->plan);
  return opened;
}

[[noreturn]] void refuse_device(const char* call, device::Status status) {
  throw EnvironmentError(fmt::format("{}: {} ({})", call, device::status_text(status), device::status_name(status)));
}

harness::DeviceIdentity identity_of(OpenedDriver& opened) {
  const auto count = opened.driver->device_count();
  if (!count) refuse_device("counting the devices", count.error());
  if (opened.ordinal < 0 || opened.ordinal >= *count) {
    throw EnvironmentError(fmt::format("there is no device {}: {} found, numbered from 0", opened.ordinal, *count));
  }
  auto device = opened.driver->open(opened.ordinal);
  if (!device) refuse_device("opening the device", device.error());
  const device::DeviceProperties& properties = (*device)->properties();
  const device::Driver::Versions versions = opened.driver->versions();
  return {.kind = std::string(opened.driver->kind()),
          .ordinal = opened.ordinal,
          .name = properties.name,
          .uuid = properties.uuid,
          .pci_bus_id = properties.pci_bus_id,
          .total_memory_bytes = properties.total_memory_bytes,
          .multiprocessor_count = properties.multiprocessor_count,
          .compute_capability_major = properties.compute_capability_major,
          .compute_capability_minor = properties.compute_capability_minor,
          .driver_version = versions.driver,
          .cuda_driver_version = versions.cuda_driver,
          .cuda_runtime_version = versions.cuda_runtime,
          .note = opened.note};
}

Execution execute(const RunRequest& request, const harness::Registry& registry, DriverFactory make_driver,
                  MessageChannel& channel) {
  const harness::Case& which = registry.require(request.case_name);
  const OpenedDriver opened = open_driver(which, request.settings, make_driver);
  ProcessLauncher children({.case_name = which.name, .child_name = {}, .settings = request.settings});
  return harness::execute({.which = &which,
                           .driver = opened.driver.get(),
                           .ordinal = opened.ordinal,
                           .settings = request.settings,
                           .on_observation =
                               [&](const harness::Observation& observation) {
                                 channel.send(ObservationReply{request.sequence, observation});
                               },
                           .children = &children});
}

void flush_output() {
  std::cout.flush();
  std::cerr.flush();
  std::fflush(nullptr);
}

Reply serve(const IdentifyRequest& request, const harness::Registry&, DriverFactory make_driver, MessageChannel&) {
  try {
    OpenedDriver opened = make_driver(request.device, request.seed);
    return IdentityReply{.device = identity_of(opened), .resolved = opened.resolved};
  } catch (const UsageError& error) {
    return RefusalReply{.usage = true, .text = error.what()};
  } catch (const std::exception& error) {
    return RefusalReply{.usage = false, .text = error.what()};
  }
}

Reply serve(const RunRequest& request, const harness::Registry& registry, DriverFactory make_driver,
            MessageChannel& channel) {
  FinishedReply reply{.sequence = request.sequence, .execution = {}};
  try {
    reply.execution = execute(request, registry, make_driver, channel);
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
  try {
    MessageChannel channel(descriptor);
    while (const auto request = channel.receive()) {
      channel.send(std::visit([&](const auto& what) { return serve(what, registry, make_driver, channel); }, *request));
    }
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "gpucheck worker: %s\n", error.what());
    return static_cast<int>(harness::ExitCode::not_judged);
  }
}

int child_main(const ChildRequest& request, const harness::Registry& registry, DriverFactory make_driver) {
  try {
    const harness::Case& which = registry.require(request.case_name);
    const harness::Child* child = which.find_child(request.child_name);
    if (child == nullptr) throw UsageError(fmt::format("{} has no child \"{}\"", which.name, request.child_name));
    const OpenedDriver opened = open_driver(which, request.settings, make_driver);
    return harness::execute_child({.which = &which,
                                   .driver = opened.driver.get(),
                                   .ordinal = opened.ordinal,
                                   .settings = request.settings,
                                   .on_observation = {},
                                   .children = nullptr},
                                  *child);
  } catch (const Error& error) {
    std::fprintf(stderr, "gpucheck child: %s\n", error.what());
    return static_cast<int>(harness::ExitCode::not_judged);
  }
}

}  // namespace gpucheck::runner
