#include "harness/case/context.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "harness/case/counting_device.hpp"
#include "harness/case/needs.hpp"
#include "harness/telemetry/idle_gate.hpp"

namespace gpucheck::harness {
namespace {

constexpr std::string_view reserved_prefix = "rule.";

template <typename T>
constexpr std::string_view type_name = "string";
template <>
constexpr std::string_view type_name<bool> = "bool";
template <>
constexpr std::string_view type_name<std::int64_t> = "integer";
template <>
constexpr std::string_view type_name<double> = "double";

void check_parameters(const Case& test_case, const ParameterValues& values) {
  for (const auto& [name, value] : values) {
    const Parameter* declared = test_case.find_parameter(name);
    if (declared == nullptr) throw Error(fmt::format("case {} declares no parameter \"{}\"", test_case.name, name));
    if (declared->default_value.index() != value.index()) {
      throw Error(fmt::format("parameter \"{}\" of case {} is {}, not \"{}\"", name, test_case.name,
                              declared->allowed(), to_text(value)));
    }
  }
}

}  // namespace

Context::Context(Setup setup)
    : setup_(std::move(setup)),
      races_before_(setup_.driver->races().size()),
      handles_before_(setup_.driver->live_handles()),
      used_(setup_.ordinals.size()) {
  check_parameters(test_case(), setup_.settings.parameters);
}

Context::~Context() = default;

Context::UsedDevice& Context::used(std::size_t index) {
  if (index < used_.size()) return used_[index];
  throw Error(
      fmt::format("case {} asks for its device {}, and has {}: see its needs", test_case().name, index, used_.size()));
}

device::Device& Context::device(std::size_t index) {
  UsedDevice& used_device = used(index);
  if (test_case().needs.devices > 0 && opens_no_device(test_case())) {
    throw Error(
        fmt::format("case {} opens a device, and says that it needs only {}", test_case().name, management_library));
  }
  if (used_device.device == nullptr) {
    const int ordinal = setup_.ordinals[index];
    device::Result<std::unique_ptr<device::Device>> opened = driver().open(ordinal);
    if (!opened) throw device::DeviceError(opened.error(), fmt::format("opening device {}", ordinal));
    used_device.device = std::make_unique<CountingDevice>(std::move(*opened));
  }
  return *used_device.device;
}

LiveMemory Context::registered_host_memory(std::size_t index) {
  const UsedDevice& used_device = used(index);
  return used_device.device == nullptr ? LiveMemory{} : used_device.device->registered_memory();
}

runtime::Runtime& Context::runtime(std::size_t index) {
  UsedDevice& used_device = used(index);
  if (used_device.runtime == nullptr) {
    auto made = std::make_unique<runtime::Runtime>(device(index), allocator());
    const bool has_library = allocator().kind == runtime::AllocatorChoice::Kind::library;
    if (has_library && driver().kind() == "sim") made->pluggable_library().require_device_memory();
    if (!test_case().needs.default_stream) made->set_current_stream(made->streams().next());
    used_device.runtime = std::move(made);
    used_device.found = {.settings = used_device.runtime->allocator().settings(),
                         .memory_fraction = used_device.runtime->allocator().memory_fraction(),
                         .stream = used_device.runtime->current_stream()};
  }
  return *used_device.runtime;
}

void Context::observe(std::string key, Value value) {
  if (key.empty() || key.starts_with(reserved_prefix)) {
    throw Error(fmt::format("case {}: \"{}\" cannot be the key of an observation", test_case().name, key));
  }
  const auto same_key = [&key](const Observation& seen) { return seen.key == key; };
  if (std::any_of(observations_.begin(), observations_.end(), same_key)) {
    throw Error(fmt::format("case {} observes \"{}\" twice", test_case().name, key));
  }
  observations_.push_back({std::move(key), std::move(value)});
  if (setup_.on_observation) setup_.on_observation(observations_.back());
}

template <typename T>
const T& Context::parameter(std::string_view name) const {
  const Parameter* declared = test_case().find_parameter(name);
  if (declared == nullptr) throw Error(fmt::format("case {} declares no parameter \"{}\"", test_case().name, name));
  const auto given = setup_.settings.parameters.find(name);
  const ParameterValue& value = given == setup_.settings.parameters.end() ? declared->default_value : given->second;
  if (const T* content = std::get_if<T>(&value)) return *content;
  throw Error(fmt::format("parameter \"{}\" of case {} is no {}", name, test_case().name, type_name<T>));
}

template const bool& Context::parameter(std::string_view) const;
template const std::int64_t& Context::parameter(std::string_view) const;
template const double& Context::parameter(std::string_view) const;
template const std::string& Context::parameter(std::string_view) const;

ParameterValues Context::parameters() const {
  ParameterValues values = setup_.settings.parameters;
  for (const Parameter& declared : test_case().parameters) values.try_emplace(declared.name, declared.default_value);
  return values;
}

GpuWatch& Context::telemetry() {
  if (setup_.watch == nullptr) throw Error(fmt::format("case {}: there is no telemetry here", test_case().name));
  return *setup_.watch;
}

void Context::begin_watch() {
  if (setup_.watch == nullptr || test_case().needs.devices == 0) return;
  if (test_case().needs.idle) {
    for (std::size_t i = 0; i < used_.size(); ++i) idle_reports_.push_back(wait_until_idle(*setup_.watch, i));
  }
  setup_.watch->begin();
}

void Context::expect_races(ExpectedRaces expected) {
  declared_races_.push_back({.accesses = std::move(expected), .races_before = driver().races().size()});
}

std::vector<ChildResult> Context::run_children(const std::vector<std::string>& names, std::chrono::milliseconds limit) {
  if (setup_.children == nullptr)
    throw Error(fmt::format("case {}: children cannot be started here", test_case().name));
  for (const std::string& name : names) {
    if (test_case().find_child(name) == nullptr) {
      throw Error(fmt::format("case {} declares no child \"{}\"", test_case().name, name));
    }
  }
  std::vector<ChildResult> results = setup_.children->run(test_case(), names, limit);
  if (results.size() != names.size()) {
    throw Error(
        fmt::format("case {}: {} children were started, {} came back", test_case().name, names.size(), results.size()));
  }
  return results;
}

ProgramEnd Context::run_program(const ProgramStart& start, const std::function<void(std::string_view)>& take) {
  if (setup_.children == nullptr)
    throw Error(fmt::format("case {}: programs cannot be started here", test_case().name));
  return setup_.children->run_program(start, take);
}

ChildResult Context::run_child(const std::string& name, std::chrono::milliseconds limit) {
  return std::move(run_children({name}, limit).front());
}

}  // namespace gpucheck::harness
