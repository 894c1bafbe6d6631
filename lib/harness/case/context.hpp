#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "device/driver.hpp"
#include "harness/case/case.hpp"
#include "harness/result/result.hpp"
#include "harness/telemetry/gpu_watch.hpp"
#include "harness/values/run_settings.hpp"
#include "harness/values/value.hpp"
#include "harness/values/world.hpp"
#include "runtime/runtime.hpp"

namespace gpucheck::harness {

class CountingDevice;
struct LiveMemory;

/// Thrown by a case that finds, on the way, that what it needs is not there.
class Skip : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How a child process of a case ended.
struct ChildResult {
  std::optional<int> exit_code;  ///< when it exited
  std::optional<int> signal;     ///< when a signal ended it
  bool timed_out = false;        ///< killed at its limit
  std::string output;            ///< stdout, at most 64 KiB from the end
  std::string error_output;      ///< stderr, likewise
};

/// A program to start for a case. It gets nothing to read, this process's stdout and stderr, and one descriptor more to
/// write to.
struct ProgramStart {
  std::string path;
  std::string folder;                    ///< in which it is started
  std::vector<std::string> environment;  ///< all of it: "NAME=value"
};

/// The number of that descriptor: shells know those of one digit alone.
inline constexpr int program_descriptor = 3;

/// How a program ended.
struct ProgramEnd {
  std::optional<int> exit_code;  ///< when it exited
  std::optional<int> signal;     ///< when a signal ended it
};

/// Starts children of the running case; implemented by the runner.
class ChildLauncher {
 public:
  ChildLauncher() = default;
  ChildLauncher(const ChildLauncher&) = delete;
  ChildLauncher& operator=(const ChildLauncher&) = delete;
  virtual ~ChildLauncher() = default;
  /// Runs the named children of `test_case` side by side, each in a fresh process on the
  /// same device, with the same parameters, seed and fault; waits for all. Results in
  /// the order of the names.
  virtual std::vector<ChildResult> run(const Case& test_case, const std::vector<std::string>& names,
                                       std::chrono::milliseconds limit) = 0;
  /// Runs a program to its end, then kills what it has left behind, whatever session that has gone to. There is no
  /// limit of time but the case's deadline.
  /// @param take what it writes to its descriptor, in pieces as they come; what this throws ends the program, and is
  /// thrown on. @throws EnvironmentError when it cannot be started, or a limit of the machine has ended it.
  virtual ProgramEnd run_program(const ProgramStart& start, const std::function<void(std::string_view)>& take) = 0;
};

/// Thrown by a case whose program ended with a code that says more than that it is done, or by a signal.
class ProgramEnded : public std::runtime_error {
 public:
  enum class Meaning { skip, error, crash };
  ProgramEnded(Meaning meaning, ProgramEnd end, const std::string& text)
      : std::runtime_error(text), meaning_(meaning), end_(end) {}
  [[nodiscard]] Meaning meaning() const noexcept { return meaning_; }
  [[nodiscard]] const ProgramEnd& end() const noexcept { return end_; }

 private:
  Meaning meaning_;
  ProgramEnd end_;
};

struct MemoryRange {
  const void* address = nullptr;
  std::uint64_t bytes = 0;
};

/// Accesses that a case leaves unordered on purpose: what operations of these names do to
/// this memory.
struct ExpectedRaces {
  std::vector<std::string> operations;  ///< kernels and copies, as races name them
  std::vector<MemoryRange> memory;
};

/// What a case sees of the world. Used by one thread at a time unless a method says
/// otherwise.
class Context {
 public:
  struct Setup {
    const Case* test_case = nullptr;
    device::Driver* driver = nullptr;
    std::vector<int> ordinals = {0};  ///< of the devices that the case has
    RunSettings settings;             ///< narrowed to the case
    World world = {};                 ///< the processes that communicate, for the cases between them
    /// Called at once for every observation, so that it survives a crash.
    std::function<void(const Observation&)> on_observation;
    ChildLauncher* children = nullptr;  ///< null in a child itself
    /// Watches the case's devices, the first where it needs none; null in a child.
    std::shared_ptr<GpuWatch> watch = nullptr;
  };

  /// @throws Error for a parameter that the case does not declare, or of another type.
  explicit Context(Setup setup);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  [[nodiscard]] const Case& test_case() const noexcept { return *setup_.test_case; }
  [[nodiscard]] device::Driver& driver() noexcept { return *setup_.driver; }
  /// The case's devices, as the driver counts them.
  [[nodiscard]] const std::vector<int>& ordinals() const noexcept { return setup_.ordinals; }
  /// How many devices the case has: as many as it needs, one when it needs none.
  [[nodiscard]] std::size_t device_count() const noexcept { return setup_.ordinals.size(); }
  /// The first device, or the one with that index. Opened on first use. @throws DeviceError;
  /// Error for an index from `device_count()` on.
  [[nodiscard]] device::Device& device(std::size_t index = 0);
  /// The host's memory that is registered with the driver now, through that device.
  [[nodiscard]] LiveMemory registered_host_memory(std::size_t index = 0);
  /// The allocator that the run was asked to use.
  [[nodiscard]] const runtime::AllocatorChoice& allocator() const noexcept { return setup_.settings.allocator; }
  /// gpucheck's runtime on `device(index)`, with that allocator: streams, warnings. Made
  /// on first use; the calling thread's current stream is then one of its pool, but for a
  /// case that needs the default stream. @throws EnvironmentError for an allocator library that cannot be used;
  /// and as `device` does.
  [[nodiscard]] runtime::Runtime& runtime(std::size_t index = 0);
  [[nodiscard]] bool has_runtime(std::size_t index = 0) const { return used_.at(index).runtime != nullptr; }

  /// Records what was seen. @throws Error for a key that was observed before, is empty
  /// or begins with "rule.".
  void observe(std::string key, Value value);
  void observe(std::string key, const char* text) { observe(std::move(key), Value(std::string(text))); }
  /// @throws Error also for a number beyond 64 signed bits.
  template <std::integral Number>
  requires(!std::same_as<Number, bool>) void observe(std::string key, Number number) {
    if (!std::in_range<std::int64_t>(number)) throw Error("observation " + key + " does not fit 64 signed bits");
    observe(std::move(key), Value(static_cast<std::int64_t>(number)));
  }

  /// The parameter's value, or its default. T is one of ParameterValue's alternatives.
  /// @throws Error for a name or type the case did not declare.
  template <typename T>
  [[nodiscard]] const T& parameter(std::string_view name) const;

  /// Derived from the run's seed and the case's name, so that selection, order and
  /// sharding do not alter it.
  [[nodiscard]] std::uint64_t seed() const noexcept { return setup_.settings.seed; }

  /// The processes that communicate; this one alone in a case that does not need several.
  [[nodiscard]] const World& world() const noexcept { return setup_.world; }

  /// All that was given or has a default.
  [[nodiscard]] ParameterValues parameters() const;

  /// The fault that the case runs under; empty for none.
  [[nodiscard]] const std::string& fault() const noexcept { return setup_.settings.fault; }

  /// What the driver reports of the case's GPUs; on the simulated device what a recording does.
  /// @throws Error in a child, which has none.
  [[nodiscard]] GpuWatch& telemetry();

  /// From now on races of these accesses, and no others, are excused; where the device
  /// notices races, there has to be one.
  void expect_races(ExpectedRaces expected);

  /// See ChildLauncher::run.
  [[nodiscard]] std::vector<ChildResult> run_children(const std::vector<std::string>& names,
                                                      std::chrono::milliseconds limit);
  [[nodiscard]] ChildResult run_child(const std::string& name, std::chrono::milliseconds limit);
  /// See ChildLauncher::run_program.
  ProgramEnd run_program(const ProgramStart& start, const std::function<void(std::string_view)>& take);

  [[nodiscard]] const Observations& observations() const noexcept { return observations_; }

  /// For `execute`, once the case's function is done: waits for the device, destroys the
  /// runtime, and says which class-wide rules are broken. Ends the use of the context.
  [[nodiscard]] std::vector<Mismatch> close();

  /// For `execute`: the case's function is about to run. Waits for idle GPUs where the case needs them.
  void begin_watch();
  /// What changed on the GPUs until `close`.
  [[nodiscard]] const std::vector<GpuTelemetry>& gpu_telemetry() const noexcept { return gpu_telemetry_; }

 private:
  /// What the case has to leave as it found it.
  struct Found {
    runtime::AllocatorSettings settings;
    double memory_fraction = 1;
    device::Stream stream;
  };

  /// One of the case's devices, as far as the case has used it.
  struct UsedDevice {
    std::unique_ptr<CountingDevice> device;
    std::unique_ptr<runtime::Runtime> runtime;
    Found found;
    bool usable = false;  ///< known once the rule about errors was checked
  };

  /// A declaration, and what became of it.
  struct DeclaredRaces {
    ExpectedRaces accesses;
    std::size_t races_before = 0;
    bool seen = false;
  };

  [[nodiscard]] UsedDevice& used(std::size_t index);
  /// What `check` finds broken, said with the device where there are several.
  template <typename Check>
  void check_devices(std::vector<Mismatch>& broken, Check check);
  void check_handles_rule(std::vector<Mismatch>& broken);
  void check_race_rules(std::vector<Mismatch>& broken);
  void check_hardware_rule(std::vector<Mismatch>& broken);
  /// Whether the race, one of a place in the driver's list, was declared.
  [[nodiscard]] bool is_declared(const device::Race& race, std::size_t place);

  Setup setup_;
  Observations observations_;
  std::size_t races_before_ = 0;
  std::vector<DeclaredRaces> declared_races_;
  std::optional<device::LiveHandles> handles_before_;  ///< of the driver's own count
  std::vector<UsedDevice> used_;                       ///< one for each of the ordinals
  std::vector<IdleReport> idle_reports_;               ///< of each device, in a case that needs them
  std::vector<GpuTelemetry> gpu_telemetry_;
};

}  // namespace gpucheck::harness
