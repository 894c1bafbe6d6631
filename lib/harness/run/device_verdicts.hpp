#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/result/failure_kinds.hpp"
#include "harness/run/events.hpp"

/// What a run says of each of its devices and of the machine: what may be trusted, and what to do about the rest.
namespace gpucheck::harness {

enum class Verdict {
  passed,      ///< something passed, and nothing counts against it
  failed,      ///< a case failed, crashed or hung, and nobody has waived that
  not_judged,  ///< nothing passed, or a case could not be judged or has no result
};

/// "passed", "failed" or "not_judged".
std::string_view to_text(Verdict verdict) noexcept;

/// The verdict on one device or on the machine, and what it rests on. Names are in alphabetical order, each once.
struct DeviceVerdict {
  int device = 0;  ///< its index in the run; `whole_machine` for the machine
  Verdict verdict = Verdict::not_judged;
  /// Counts the cases that it took part in; `not_run` of those that are named in the run's end.
  Counts counts = {};
  std::vector<std::string> failed = {};    ///< cases whose failure counts against it
  std::vector<std::string> unjudged = {};  ///< cases that ended in an error, or lacked time
  /// Cases that failed on it and others, and count against the others.
  std::vector<std::string> failed_by_others = {};
  /// What it differs in from the devices of its model ("gemm.bf16.digest"), and fails by.
  std::vector<std::string> failed_comparisons = {};
  /// The kinds of `failed`, `unjudged` and `failed_comparisons`, the most severe first, each once; see `failures_of`.
  std::vector<const FailureKind*> failures = {};
  /// What the driver asks for, which decides the next step; null where it asks for nothing or does not say.
  const FailureKind* recovery = nullptr;
  bool operator==(const DeviceVerdict&) const = default;
};

/// In place of a device's index: results of no device (`CaseResult::devices` is empty) are about the machine.
inline constexpr int whole_machine = -1;

/// Collects the results of a run, of however many repetitions, and gives its verdicts. A failure on one device counts
/// against it. One on several counts against those that it names in its observation `suspects`, by the driver's
/// numbers, UUIDs or PCI addresses; where it names none, against those that another case suspects; and against all of
/// them where none does. A failure of the machine counts against the devices that it names, and against the machine
/// where it names none of the run's: never against a device that it happened to run on. Suspicion of being slow
/// explains nothing but slowness, so that a wrong value needs a case that found wrong values. Used by one thread.
class DeviceVerdicts {
 public:
  void add(const CaseResult& result);
  /// One for each of the devices, in their order.
  [[nodiscard]] std::vector<DeviceVerdict> of(std::span<const DeviceIdentity> devices, const RunFinished& end) const;
  /// The one on the machine; none where no case was about it.
  [[nodiscard]] std::optional<DeviceVerdict> of_machine(std::span<const DeviceIdentity> devices,
                                                        const RunFinished& end) const;

 private:
  /// What is against a device.
  struct Charges {
    std::set<std::string> failed;
    std::set<std::string> unjudged;
    std::set<std::string> failed_by_others;
    std::set<const FailureKind*> kinds;
  };
  struct Record {
    Counts counts;
    Charges charges;
    std::set<const FailureKind*> recoveries;  ///< that the driver asked for after a case
  };
  /// A failure of one case on the same devices, all repetitions together.
  struct Failure {
    std::set<std::string> suspects;  ///< as the case names them
    bool by_speed_alone = true;
    std::set<const FailureKind*> kinds;
  };
  struct Place {
    std::string name;
    std::vector<int> devices;
    auto operator<=>(const Place&) const = default;
  };

  /// Those of its devices that the failure counts against, by index.
  [[nodiscard]] std::set<int> answering(const Place& place, const Failure& failure,
                                        std::span<const DeviceIdentity> devices) const;
  void charge(std::map<int, Record>& records, std::span<const DeviceIdentity> devices) const;
  /// What is known of each device and of the machine, failures included.
  [[nodiscard]] std::map<int, Record> charged(std::span<const DeviceIdentity> devices) const;
  static DeviceVerdict verdict_of(int device, const Record& record, const RunFinished& end);

  std::map<int, Record> records_;  ///< by index of the device, or `whole_machine`
  std::map<Place, Failure> failures_;
};

}  // namespace gpucheck::harness
