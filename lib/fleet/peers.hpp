#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fleet/peer_rules.hpp"
#include "harness/rules/comparison.hpp"
#include "harness/run/events.hpp"

/// GPUs of one model, compared with each other: what no limit from elsewhere shows, the others of the machine do.
namespace gpucheck::fleet {

/// A GPU of the runs that are compared.
struct Subject {
  std::size_t run = 0;  ///< in the order in which runs were reported
  std::string host;
  harness::DeviceIdentity device;  ///< as the run knows it
};

/// Compares what results of one or several runs say of GPUs of one model. What can be compared comes from a case that
/// ran on one GPU, with the same parameters, and passed or failed by speed alone: what is wrong in itself is not a
/// peer.
///
/// Speeds (each value with a limit that fails below it, and the clocks under stress.burn) are compared among the GPUs
/// of one host; of several repetitions the median counts. A GPU that is a tenth below the best warns, a fifth fails.
/// What goes by way of the host's memory is compared as a share of what the GPU's link could do, and fails only in one
/// of three or more GPUs that is alone in being slow: several that are slow alike share a socket, not a defect.
/// What fails so is measured again by the run that can (Options::remeasure); what then passes warns as flaky, with all
/// values. Temperatures under stress.burn warn from 20 degrees above the median of the others.
///
/// Digests are compared among all GPUs of the runs that used the same version of gpucheck, library, algorithm and seed:
/// bits that are equal on two GPUs are so by no accident, and what others have is wrong. Where no digest is held by
/// more GPUs than any other, and none of the GPUs has given a wrong value elsewhere, nobody knows: all of them are
/// suspects, and fail.
///
/// Deterministic: the same results in the same order give the same comparisons. Used by one thread.
class Peers {
 public:
  /// The results that follow are of this run.
  void begin(const harness::RunStarted& start);
  void add(const harness::CaseResult& result);
  /// The case ran again on that device because its speed failed here: the last speed counts, unless it says nothing,
  /// and the earlier ones are kept with it. A wrong value counts besides, as any other result's does.
  void remeasure(const harness::CaseResult& result);

  /// Whether the result has a digest, or a wrong value by which its device's digests are doubted.
  [[nodiscard]] static bool compares_digest(const harness::CaseResult& result);
  /// What `add` takes of such a result for comparing digests, and nothing else.
  [[nodiscard]] static harness::CaseResult digest_alone(const harness::CaseResult& result);

  /// All that could be compared, by case and key. `device` of a value is its subject's number, which in one run is its
  /// index.
  [[nodiscard]] std::vector<harness::Comparison> compare() const;
  /// Those that several runs have a part in.
  [[nodiscard]] std::vector<harness::Comparison> compare_runs() const;

  /// Whom the values are of. A GPU that several runs reported is one.
  [[nodiscard]] const std::vector<Subject>& subjects() const noexcept { return subjects_; }

 private:
  /// What has to be equal for values to be comparable.
  struct Group {
    std::string case_name;
    std::string key;
    std::string model;
    std::string conditions;  ///< parameters; of a speed the host, of a digest versions, algorithm and seed
    auto operator<=>(const Group&) const = default;
  };
  struct Samples {
    PeerGroup group;
    std::set<std::size_t> runs;
  };

  void add_sample(const harness::CaseResult& result, PeerRule rule, const std::string& key, std::string conditions,
                  PeerSample sample);
  void add_speeds(const harness::CaseResult& result, const std::string& conditions);
  void add_strain(const harness::CaseResult& result, const std::string& conditions);
  void add_digest(const harness::CaseResult& result, const std::string& parameters);
  [[nodiscard]] std::size_t subject_of(const harness::CaseResult& result) const;
  [[nodiscard]] std::string name_of(std::size_t subject) const;
  [[nodiscard]] std::vector<harness::Comparison> compare(std::size_t least_runs) const;

  std::vector<Subject> subjects_;
  std::map<std::pair<std::string, std::string>, std::size_t> subject_by_uuid_;  ///< and host: the first with both
  std::vector<std::size_t> devices_;  ///< of the run that is reported: the subject of each
  bool replaces_speeds_ = false;      ///< while what was measured again is added
  std::size_t runs_ = 0;
  std::string version_;               ///< of that run's gpucheck
  std::set<std::size_t> distrusted_;  ///< subjects that gave a wrong value in some case
  std::map<Group, Samples> groups_;
};

/// The comparisons of one run's results.
[[nodiscard]] std::vector<harness::Comparison> compare_peers(const harness::RunStarted& start,
                                                             const std::vector<harness::CaseResult>& results);

}  // namespace gpucheck::fleet
