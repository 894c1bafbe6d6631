#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/events.hpp"
#include "harness/failure_kinds.hpp"

/// What a run says of each of its devices: which of them may be trusted, and what to do about the others.
namespace gpucheck::harness {

enum class Verdict {
  passed,      ///< something passed, and nothing counts against it
  failed,      ///< a case failed, crashed or hung, and nobody has waived that
  not_judged,  ///< nothing passed, or a case could not be judged or has no result
};

/// "passed", "failed" or "not_judged".
std::string_view to_text(Verdict verdict) noexcept;

/// The verdict on one device, and what it rests on. Names are in alphabetical order, each once.
struct DeviceVerdict {
  int device = 0;  ///< its index in the run
  Verdict verdict = Verdict::not_judged;
  /// Of the cases that it took part in; `not_run` of those that are named in the run's end.
  Counts counts = {};
  std::vector<std::string> failed = {};    ///< cases whose failure counts against it
  std::vector<std::string> unjudged = {};  ///< cases that ended in an error
  /// Cases that failed on it and others, and count against the others.
  std::vector<std::string> failed_by_others = {};
  /// What `failed` and `unjudged` come to, the most severe first, each once; see `failures_of`.
  std::vector<const FailureKind*> failures = {};
  bool operator==(const DeviceVerdict&) const = default;
};

/// Collects the results of a run, of however many repetitions, and gives its verdicts. A failure on one device counts
/// against it. One on several counts against those that it names in its observation `suspects`, by the driver's
/// numbers; where it names none, against those that another case suspects; and against all of them where none does.
/// Suspicion of being slow explains nothing but slowness, so that a wrong value needs a case that found wrong values.
/// Used by one thread.
class DeviceVerdicts {
 public:
  void add(const CaseResult& result);
  /// One for each of the devices, in their order.
  [[nodiscard]] std::vector<DeviceVerdict> of(std::span<const DeviceIdentity> devices, const RunFinished& end) const;

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
  };
  /// Of one case on the same devices, all repetitions together.
  struct Failure {
    std::set<int> suspects;  ///< by the driver's numbers
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

  std::map<int, Record> records_;
  std::map<Place, Failure> failures_;
};

}  // namespace gpucheck::harness
