#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/fault/plan.hpp"
#include "harness/values/fields.hpp"
#include "harness/values/parameter.hpp"
#include "telemetry/fault/fault_plan.hpp"

namespace gpucheck::harness {

class Context;

/// What must be there for a case to be judged at all. What is missing makes the case
/// a skip, with the reason.
struct Needs {
  int devices = 1;                          ///< 0: the case does not open a device
  bool every_device = false;                ///< all of the run's together, `devices` at least
  bool any_device = false;                  ///< it is about the process, not the device: run once, on one of them
  std::uint64_t memory_bytes = 0;           ///< free device memory
  double memory_fraction = 0;               ///< free device memory as a share of the total, 0..1
  std::vector<std::string> libraries = {};  ///< shared libraries, for example "libcublas.so.13"
  bool exclusive = false;                   ///< no other case on the device meanwhile
  bool idle = false;                        ///< nothing of anybody's ran just before: waited for, and recorded
  bool host_link = false;                   ///< no other case that measures the way to the host meanwhile
  bool own_process = false;                 ///< a fresh process, used for nothing else
  bool caching_allocator = false;           ///< what only that allocator does
  bool allocator_library = false;           ///< the user's own allocator: the case checks that
  /// The device's default stream as the current one: what the case is about. All others
  /// begin on a stream of the pool, since the default one hides missing waits.
  bool default_stream = false;
  /// What no GPU can do, or does only in minutes.
  bool simulated_device = false;
  bool several_processes = false;  ///< those that an engine started together: it communicates with the others
};

/// A row with words for people: empty when nothing is needed.
template <typename T>
struct Need {
  std::string_view name;
  T Needs::*member;
  std::string (*text)(const T&);
};
template <typename T>
Need(const char*, T Needs::*, std::string (*)(const T&)) -> Need<T>;

/// The words of each need.
namespace need_text {
std::string devices(const int& count);
std::string every_device(const bool& needed);
std::string any_device(const bool& needed);
std::string memory_bytes(const std::uint64_t& bytes);
std::string memory_fraction(const double& share);
std::string libraries(const std::vector<std::string>& names);
std::string exclusive(const bool& needed);
std::string idle(const bool& needed);
std::string host_link(const bool& needed);
std::string own_process(const bool& needed);
std::string caching_allocator(const bool& needed);
std::string allocator_library(const bool& needed);
std::string default_stream(const bool& needed);
std::string simulated_device(const bool& needed);
std::string several_processes(const bool& needed);
}  // namespace need_text

template <>
inline constexpr auto fields_of<Needs> = std::tuple{
    Need{"devices", &Needs::devices, need_text::devices},
    Need{"every_device", &Needs::every_device, need_text::every_device},
    Need{"any_device", &Needs::any_device, need_text::any_device},
    Need{"memory_bytes", &Needs::memory_bytes, need_text::memory_bytes},
    Need{"memory_fraction", &Needs::memory_fraction, need_text::memory_fraction},
    Need{"libraries", &Needs::libraries, need_text::libraries},
    Need{"exclusive", &Needs::exclusive, need_text::exclusive},
    Need{"idle", &Needs::idle, need_text::idle},
    Need{"host_link", &Needs::host_link, need_text::host_link},
    Need{"own_process", &Needs::own_process, need_text::own_process},
    Need{"caching_allocator", &Needs::caching_allocator, need_text::caching_allocator},
    Need{"allocator_library", &Needs::allocator_library, need_text::allocator_library},
    Need{"default_stream", &Needs::default_stream, need_text::default_stream},
    Need{"simulated_device", &Needs::simulated_device, need_text::simulated_device},
    Need{"several_processes", &Needs::several_processes, need_text::several_processes},
};
static_assert(has_every_member<Needs>);

/// All that is needed, for people: "1 device, 2.00 GiB of free device memory".
std::string to_text(const Needs& needs);

/// A way to break what the case checks: `gpucheck prove` runs the case under it and
/// expects anything but a pass.
struct Fault {
  std::string name;     ///< lower case with underscores
  std::string summary;  ///< what breaks
  fault::Plan plan = {};
  telemetry::FaultPlan telemetry = {};  ///< what the driver reports wrongly of the case's first GPU
  /// Instead of `plan` where the calls to break depend on how many devices the case has; null elsewhere.
  fault::Plan (*plan_for_devices)(std::size_t devices) = nullptr;

  /// What breaks on so many devices.
  [[nodiscard]] fault::Plan plan_on(std::size_t devices) const;
};

/// A function a case runs in a process of its own, because it poisons the context or
/// dies. Its return value is the process's exit code; an exception is printed to
/// stderr and ends the process with 1.
struct Child {
  std::string name;
  int (*run)(Context&);
};

/// The program of a case of the site's own: it observes in a process of its own.
struct Program {
  std::string folder;  ///< of the case, absolute
  std::string file;    ///< that is started, in the folder
  std::string digest;  ///< of description, golden file and program: two nodes with the same one ran the same case
};

/// One named check. A value: nothing happens until a harness runs it.
struct Case {
  std::string name;     ///< "group.case", as in the seed table
  std::string summary;  ///< one line
  std::string source;   ///< the seed test it stands for
  Needs needs = {};
  std::vector<Parameter> parameters = {};
  std::vector<Fault> faults = {};
  std::chrono::milliseconds deadline{10'000};
  bool on_request = false;  ///< takes as long as one gives it: in no suite but the one of every case
  /// Observes; the golden file judges. Anything thrown is an error, never a pass.
  void (*run)(Context&) = nullptr;
  std::vector<Child> children = {};
  std::optional<Program> program = {};  ///< of a case of the site's own; absent in those that are built in

  [[nodiscard]] std::string_view group() const noexcept;
  [[nodiscard]] const Fault* find_fault(std::string_view fault_name) const noexcept;
  [[nodiscard]] const Child* find_child(std::string_view child_name) const noexcept;
  [[nodiscard]] const Parameter* find_parameter(std::string_view parameter_name) const noexcept;
};

}  // namespace gpucheck::harness
