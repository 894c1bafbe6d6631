#include "device/sim/sim_driver.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "device/sim/machine/machine.hpp"
#include "device/sim/simulated_device.hpp"

namespace gpucheck::sim {

using device::Result;
using device::Status;

namespace {

/// The ordinals that `list` names, up to the first one that does not exist; invalid_device
/// when one is named twice, as CUDA has it.
Result<std::vector<int>> parse_visible(std::string_view list, int device_count) {
  std::vector<int> visible;
  while (!list.empty()) {
    const std::string_view item = list.substr(0, list.find(','));
    int ordinal = -1;
    const auto [end, problem] = std::from_chars(item.data(), item.data() + item.size(), ordinal);
    const bool is_number = problem == std::errc{} && end == item.data() + item.size();
    if (!is_number || ordinal < 0 || ordinal >= device_count) break;
    if (std::find(visible.begin(), visible.end(), ordinal) != visible.end()) return Status::invalid_device;
    visible.push_back(ordinal);
    list.remove_prefix(std::min(item.size() + 1, list.size()));
  }
  return visible;
}

Result<std::vector<int>> find_visible(int device_count) {
  std::vector<int> all(static_cast<std::size_t>(device_count));
  std::generate(all.begin(), all.end(), [next = 0]() mutable { return next++; });
  const std::string name(visible_devices_variable);
  const char* list = std::getenv(name.c_str());
  auto visible = list == nullptr ? Result<std::vector<int>>(std::move(all)) : parse_visible(list, device_count);
  if (visible && visible->empty()) return Status::no_device;
  return visible;
}

/// Knows everything exactly: it is the simulator's own schedule.
class SimulatedRecorder final : public device::ActivityRecorder {
 public:
  SimulatedRecorder(std::shared_ptr<Machine> machine, std::vector<int> visible)
      : machine_(std::move(machine)), visible_(std::move(visible)) {
    const std::lock_guard lock(machine_->timeline.mutex());
    machine_->timeline.keep_activities();
  }

  [[nodiscard]] std::string_view source() const noexcept override { return "simulator"; }
  [[nodiscard]] std::uint64_t now_ns() override {
    const std::lock_guard lock(machine_->timeline.mutex());
    return machine_->timeline.now_ns();
  }
  void begin_call(std::uint64_t call) override { Timeline::belongs_to(call); }
  void end_call() override { Timeline::belongs_to(0); }
  [[nodiscard]] std::uint64_t number_of(device::Stream stream) override { return stream.value; }
  [[nodiscard]] std::vector<device::Activity> finish() override {
    const std::lock_guard lock(machine_->timeline.mutex());
    std::vector<device::Activity> activities = machine_->timeline.take_activities();
    for (device::Activity& activity : activities) {
      activity.device = static_cast<int>(std::ranges::find(visible_, activity.device) - visible_.begin());
    }
    return activities;
  }

 private:
  std::shared_ptr<Machine> machine_;
  std::vector<int> visible_;  // the machine's numbers of the devices, by ordinal
};

class SimulatedDriver final : public Driver {
  using RangeKind = device::RangeEvent::Kind;

 public:
  explicit SimulatedDriver(Options options) : machine_(std::make_shared<Machine>(std::move(options))) {}

  [[nodiscard]] std::string_view kind() const noexcept override { return "sim"; }
  [[nodiscard]] std::string_view visible_devices_variable() const noexcept override {
    return sim::visible_devices_variable;
  }
  [[nodiscard]] Versions versions() override { return {}; }

  [[nodiscard]] Result<int> device_count() override {
    const std::lock_guard lock(machine_->timeline.mutex());
    const auto& visible = initialise();
    if (!visible) return visible.error();
    return static_cast<int>(visible->size());
  }

  [[nodiscard]] Result<int> device_count_without_initialising() override {
    const std::lock_guard lock(machine_->timeline.mutex());
    if (!visible_ || !*visible_) return Status::initialization_error;
    return static_cast<int>((*visible_)->size());
  }

  [[nodiscard]] Result<std::unique_ptr<device::Device>> open(int ordinal) override {
    const std::lock_guard lock(machine_->timeline.mutex());
    const auto& visible = initialise();
    if (!visible) return visible.error();
    if (ordinal < 0 || ordinal >= static_cast<int>(visible->size())) return Status::invalid_device;
    const int index = (*visible)[static_cast<std::size_t>(ordinal)];
    return std::unique_ptr<device::Device>(std::make_unique<SimulatedDevice>(machine_, ordinal, index, *visible));
  }

  [[nodiscard]] bool notices_races() const noexcept override { return true; }
  [[nodiscard]] std::vector<Race> races() const override {
    const std::lock_guard lock(machine_->timeline.mutex());
    return machine_->timeline.races().races();
  }

  [[nodiscard]] device::ActivityRecording record_activity() override {
    const auto visible = find_visible(machine_->options.device_count);
    if (!visible) return {nullptr, "no device is visible"};
    return {std::make_unique<SimulatedRecorder>(machine_, *visible), ""};
  }

  [[nodiscard]] std::optional<std::vector<std::string>> installed_devices() override {
    std::vector<std::string> names;
    names.reserve(static_cast<std::size_t>(machine_->options.device_count));
    for (int i = 0; i < machine_->options.device_count; ++i) names.push_back(device_uuid(machine_->options, i));
    return names;
  }

  void begin_range(const std::string& name) override { ranges_.keep({.kind = RangeKind::push, .name = name}); }
  void end_range() override { ranges_.keep({.kind = RangeKind::pop}); }
  void mark(const std::string& name) override { ranges_.keep({.kind = RangeKind::mark, .name = name}); }
  [[nodiscard]] std::uint64_t start_range(const std::string& name) override {
    const std::uint64_t range = ++last_range_;
    ranges_.keep({.kind = RangeKind::start, .name = name, .range = range});
    return range;
  }
  void finish_range(std::uint64_t range) override { ranges_.keep({.kind = RangeKind::end, .range = range}); }
  [[nodiscard]] std::optional<std::vector<device::RangeEvent>> hear_ranges(
      const std::function<void()>& action) override {
    return ranges_.during(action);
  }

  [[nodiscard]] ApiCalls api_calls() const override {
    const std::lock_guard lock(machine_->timeline.mutex());
    ApiCalls calls;
    for (std::size_t i = 0; i < device::operation_count; ++i) {
      const std::uint64_t count = machine_->calls[i];
      if (count == 0) continue;
      calls.total += count;
      calls.by_name.emplace_back(to_text(static_cast<device::Operation>(i)), count);
    }
    std::sort(calls.by_name.begin(), calls.by_name.end());
    return calls;
  }

  [[nodiscard]] std::uint64_t now_ns() const override {
    const std::lock_guard lock(machine_->timeline.mutex());
    return machine_->timeline.now_ns();
  }

  void advance(std::uint64_t nanoseconds) override {
    const std::lock_guard lock(machine_->timeline.mutex());
    machine_->timeline.advance(nanoseconds);
    machine_->timeline.poll();
  }

  [[nodiscard]] std::uint64_t live_bytes() const override {
    const std::lock_guard lock(machine_->timeline.mutex());
    std::uint64_t bytes = 0;
    for (const auto& context : machine_->world.contexts) bytes += context->allocations.bytes();
    return bytes;
  }

 private:
  const Result<std::vector<int>>& initialise() {
    ++machine_->calls[static_cast<std::size_t>(device::Operation::initialize)];
    if (!visible_) visible_ = find_visible(machine_->options.device_count);
    return *visible_;
  }

  std::shared_ptr<Machine> machine_;
  std::optional<Result<std::vector<int>>> visible_;
  device::RangeLog ranges_;
  std::atomic<std::uint64_t> last_range_ = 0;
};

}  // namespace

std::unique_ptr<Driver> make_driver(Options options) { return std::make_unique<SimulatedDriver>(std::move(options)); }

}  // namespace gpucheck::sim
