#include "fleet/peer_rules.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <utility>

#include "fleet/baseline.hpp"
#include "harness/result/failure_kinds.hpp"

namespace gpucheck::fleet {
namespace {

using harness::Comparison;
using harness::Value;
using NameOf = std::function<std::string(std::size_t)>;

// Shares of the best among the peers. Hugging Face's gpu-fryer, too, calls a GPU an outlier from a tenth below the best
// on.
constexpr double warning_share = 0.9;
constexpr double failure_share = 0.8;
constexpr double degrees_above_others = 20;
/// With fewer, what is slow may be slow by its socket.
constexpr std::size_t least_peers_by_host = 3;
/// 9 tenths and 8 tenths have no exact double.
constexpr double rounding = 1e-9;

std::string code_of(const char* name) { return std::string(harness::find_failure_kind(name)->code); }

double number_of(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  const auto* real = std::get_if<double>(&value);
  return real != nullptr && std::isfinite(*real) ? *real : 0;
}

struct Number {
  std::size_t subject;
  double value;
  double share;  ///< of its unit
};

/// The median of each subject's samples.
std::vector<Number> numbers_of(const PeerGroup& group) {
  std::vector<Number> numbers;
  for (const auto& [subject, samples] : group.by_subject) {
    std::vector<double> values;
    std::vector<double> shares;
    for (const PeerSample& sample : samples) {
      values.push_back(number_of(sample.value));
      shares.push_back(values.back() / sample.unit);
    }
    numbers.push_back({subject, summarise(std::move(values)).median, summarise(std::move(shares)).median});
  }
  return numbers;
}

/// Nobody but itself is as slow, so that it is not a socket's fault.
bool is_alone(const Number& slow, const std::vector<Number>& numbers) {
  return numbers.size() >= least_peers_by_host && std::ranges::none_of(numbers, [&](const Number& other) {
           return other.subject != slow.subject && other.share * warning_share <= slow.share;
         });
}

std::string verdict_on_speed(const Number& number, double best, PeerRule rule, const std::vector<Number>& numbers) {
  if (number.share > best * (warning_share + rounding)) return "pass";
  const bool may_fail = rule == PeerRule::speed || is_alone(number, numbers);
  return number.share <= best * (failure_share + rounding) && may_fail ? "fail" : "warn";
}

void add_value(Comparison& comparison, std::size_t subject, Value value, std::string verdict) {
  const auto rank = [](const std::string& word) { return word == "fail" ? 2 : word == "warn" ? 1 : 0; };
  if (comparison.verdict.empty() || rank(verdict) > rank(comparison.verdict)) comparison.verdict = verdict;
  comparison.values.push_back(
      {.device = static_cast<int>(subject), .value = std::move(value), .verdict = std::move(verdict)});
}

/// What a reason says of values that were measured again.
std::string remark_on_earlier(const Comparison& comparison, const PeerGroup& group, std::size_t subject) {
  std::string text;
  if (const auto found = group.earlier.find(subject); found != group.earlier.end()) {
    std::vector<std::string> values;
    for (const Value& value : found->second) values.push_back(fmt::format("{:.4g}", number_of(value)));
    text = fmt::format(" (measured again; before: {})", fmt::join(values, ", then "));
  }
  if (const auto found = group.unmeasured.find(subject); found != group.unmeasured.end()) {
    text += fmt::format(" ({} was measured again, which ended as {})", comparison.case_name, found->second);
  }
  return text;
}

void judge_speeds(Comparison& comparison, const PeerGroup& group, const NameOf& name_of) {
  const std::vector<Number> numbers = numbers_of(group);
  const Number& best = *std::ranges::max_element(numbers, {}, &Number::share);
  std::vector<std::string> reasons;
  for (const Number& number : numbers) {
    std::string verdict =
        best.share > 0 ? verdict_on_speed(number, best.share, group.rule, numbers) : std::string("pass");
    const auto earlier = group.earlier.find(number.subject);
    const bool was_slow = earlier != group.earlier.end();
    const bool is_flaky = was_slow && verdict != "fail";
    if (is_flaky) verdict = "warn";
    add_value(comparison, number.subject, number.value, verdict);
    if (was_slow) comparison.values.back().earlier = earlier->second;
    if (verdict == "pass") continue;
    reasons.push_back(fmt::format("{}{} with {:.4g} is {:.0f} % below the best{}", is_flaky ? "flaky: " : "",
                                  name_of(number.subject), number.value, 100 * (1 - number.share / best.share),
                                  remark_on_earlier(comparison, group, number.subject)));
  }
  if (reasons.empty()) return;
  comparison.reason =
      fmt::format("{}, which is {} with {:.4g}", fmt::join(reasons, "; "), name_of(best.subject), best.value);
  if (comparison.verdict == "fail") comparison.failure = code_of("slower_than_peers");
}

/// Neighbours in one airstream differ; only a difference that no airstream explains is reported.
void judge_temperatures(Comparison& comparison, const PeerGroup& group, const NameOf& name_of) {
  const std::vector<Number> numbers = numbers_of(group);
  std::vector<std::string> reasons;
  for (const Number& number : numbers) {
    std::vector<double> others;
    for (const Number& other : numbers) {
      if (other.subject != number.subject) others.push_back(other.value);
    }
    const double usual = summarise(std::move(others)).median;
    const bool is_hot = number.value - usual > degrees_above_others;
    add_value(comparison, number.subject, number.value, is_hot ? "warn" : "pass");
    if (!is_hot) continue;
    reasons.push_back(fmt::format("{} with {:.0f} is {:.0f} degrees above the median of the others, {:.0f}",
                                  name_of(number.subject), number.value, number.value - usual, usual));
  }
  comparison.reason = fmt::format("{}", fmt::join(reasons, "; "));
}

// -- digests -------------------------------------------------------------------------------------

/// The digests of each subject: more than one where it does not agree with itself.
using Digests = std::map<std::size_t, std::set<std::string>>;

Digests digests_of(const PeerGroup& group) {
  Digests digests;
  for (const auto& [subject, samples] : group.by_subject) {
    for (const PeerSample& sample : samples) digests[subject].insert(harness::to_text(sample.value));
  }
  return digests;
}

/// The digest that more of these subjects have than any other, and at least `least` of them.
std::optional<std::string> most_common(const Digests& digests, const std::set<std::size_t>& left_out,
                                       std::size_t least) {
  std::map<std::string, std::size_t> count;
  for (const auto& [subject, own] : digests) {
    if (own.size() == 1 && !left_out.contains(subject)) ++count[*own.begin()];
  }
  const auto most = std::ranges::max_element(count, {}, [](const auto& each) { return each.second; });
  if (most == count.end() || most->second < least) return {};
  const auto same = std::ranges::count_if(count, [&](const auto& each) { return each.second == most->second; });
  return same == 1 ? std::optional(most->first) : std::nullopt;
}

/// Two that agree do so by no accident. One alone is believed where all others gave wrong values elsewhere.
std::optional<std::string> right_digest(const Digests& digests, const std::set<std::size_t>& distrusted) {
  const auto trusted = std::ranges::count_if(
      digests, [&](const auto& each) { return each.second.size() == 1 && !distrusted.contains(each.first); });
  if (trusted == 0) return most_common(digests, {}, 2);
  // Each of those that are left out differs from itself or gave a wrong value elsewhere.
  return most_common(digests, distrusted, trusted == 1 ? 1 : 2);
}

std::string holders(const Digests& digests, const std::set<std::string>& own, const NameOf& name_of) {
  std::vector<std::string> names;
  for (const auto& [subject, theirs] : digests) {
    if (theirs == own) names.push_back(name_of(subject));
  }
  return fmt::format("{} {} {}", fmt::join(names, ", "), names.size() == 1 ? "has" : "have", fmt::join(own, " and "));
}

void judge_digests(Comparison& comparison, const PeerGroup& group, const std::set<std::size_t>& distrusted,
                   const NameOf& name_of) {
  const Digests digests = digests_of(group);
  std::set<std::set<std::string>> different;
  for (const auto& [_, own] : digests) different.insert(own);
  const bool all_agree = different.size() == 1 && different.begin()->size() == 1;
  const std::optional<std::string> right = right_digest(digests, distrusted);
  std::size_t agreeing = 0;
  for (const auto& [subject, own] : digests) {
    const bool is_right = all_agree || (right && own == std::set{*right});
    agreeing += is_right ? 1 : 0;
    add_value(comparison, subject, group.by_subject.at(subject).front().value, is_right ? "pass" : "fail");
  }
  if (all_agree) return;
  std::vector<std::string> reasons;
  for (const std::set<std::string>& own : different) {
    if (!right || own != std::set{*right}) reasons.push_back(holders(digests, own, name_of));
  }
  comparison.reason = fmt::format("{}", fmt::join(reasons, "; "));
  comparison.reason +=
      right ? fmt::format("; {} of {} have {}", agreeing, digests.size(), *right)
            : std::string(
                  ": nothing says which of them is right, so that all of them are suspects; compare each with "
                  "another GPU of the model");
  comparison.failure = code_of(right ? "odd_digest" : "disputed_digest");
}

}  // namespace

void judge_peers(Comparison& comparison, const PeerGroup& group, const std::set<std::size_t>& distrusted,
                 const NameOf& name_of) {
  switch (group.rule) {
    case PeerRule::speed:
    case PeerRule::host_speed:
      return judge_speeds(comparison, group, name_of);
    case PeerRule::temperature:
      return judge_temperatures(comparison, group, name_of);
    case PeerRule::digest:
      return judge_digests(comparison, group, distrusted, name_of);
  }
}

}  // namespace gpucheck::fleet
