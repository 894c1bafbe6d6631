#include "fleet/nodes/fleet_differences.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text/sanitize.hpp"
#include "fleet/nodes/fleet.hpp"
#include "fleet/nodes/fleet_settings.hpp"

namespace gpucheck::fleet {
namespace {

using harness::Verdict;

/// What a node has, of a thing that all should have alike.
using Trait = std::function<std::string(const FleetNode&, const std::vector<KeptRun>&)>;

std::string joined(const std::set<std::string>& texts) { return fmt::format("{}", fmt::join(texts, ", ")); }

std::string version_of(const FleetNode& node, const std::vector<KeptRun>& runs) {
  std::set<std::string> versions;
  for (const std::size_t run : node.runs) versions.insert(runs[run].start.version);
  return joined(versions);
}

std::string goldens_of(const FleetNode& node, const std::vector<KeptRun>& runs) {
  std::set<std::string> digests;
  for (const std::size_t run : node.runs) {
    const std::string& digest = runs[run].start.golden_digest;
    digests.insert(digest.empty() ? "not known" : digest);
  }
  return joined(digests);
}

std::string driver_of(const FleetNode& node, const std::vector<KeptRun>& runs) {
  std::set<std::string> versions;
  for (const std::size_t run : node.runs) {
    for (const harness::DeviceIdentity& device : runs[run].start.devices) {
      versions.insert(device.driver_version.empty() ? "not known" : device.driver_version);
    }
  }
  return versions.empty() ? "not known" : joined(versions);
}

std::string gpus_of(const FleetNode& node, const std::vector<KeptRun>& runs) {
  std::map<std::string, std::set<std::string>> uuids_by_name;
  for (const std::size_t run : node.runs) {
    for (const harness::DeviceIdentity& device : runs[run].start.devices) {
      uuids_by_name[device.name].insert(device.uuid.empty() ? fmt::format("{} {}", run, device.index) : device.uuid);
    }
  }
  std::set<std::string> texts;
  for (const auto& [name, uuids] : uuids_by_name) texts.insert(fmt::format("{} x {}", uuids.size(), name));
  return texts.empty() ? "none" : joined(texts);
}

std::string settings_of(const FleetNode& node, const std::vector<KeptRun>& runs) {
  std::set<std::string> texts;
  for (const std::size_t run : node.runs) texts.insert(settings_text(runs[run]));
  return joined(texts);
}

std::set<const std::string*> cases_of(const FleetNode& node, const std::vector<KeptRun>& runs) {
  std::set<const std::string*> names;
  for (const std::size_t run : node.runs) {
    for (const KeptCase& one : runs[run].cases) names.insert(one.name);
  }
  return names;
}

/// Puts nodes that have the same together; the share of most nodes comes first. Marks the nodes of the others.
template <typename Value>
void find_difference(Fleet& fleet, std::string what, const std::vector<Value>& of_node,
                     const std::function<std::string(const Value& value, const Value& usual)>& words) {
  std::map<Value, std::vector<std::size_t>> nodes_with;
  for (std::size_t i = 0; i < of_node.size(); ++i) nodes_with[of_node[i]].push_back(i);
  if (nodes_with.size() < 2) return;
  std::vector<std::pair<Value, std::vector<std::size_t>>> shares(nodes_with.begin(), nodes_with.end());
  // Shares of one size are ordered by their first nodes: an order that no address decides.
  std::ranges::sort(shares, [](const auto& one, const auto& other) {
    return std::pair(other.second.size(), one.second.front()) < std::pair(one.second.size(), other.second.front());
  });
  Difference& difference = fleet.differences.emplace_back();
  difference.what = std::move(what);
  const Value& usual = shares.front().first;
  const std::string usual_words = words(usual, usual);
  for (const auto& [value, nodes] : shares) {
    const Difference::Share& share = difference.shares.emplace_back(Difference::Share{words(value, usual), nodes});
    if (difference.shares.size() == 1) continue;
    for (const std::size_t place : nodes) {
      lower(fleet.nodes[place].verdict, Verdict::not_judged);
      fleet.nodes[place].reasons.push_back(
          fmt::format("its {}: {}, where {} {} {}", difference.what, share.value, shares.front().second.size(),
                      shares.front().second.size() == 1 ? "node has" : "nodes have", usual_words));
    }
  }
}

void find_difference(Fleet& fleet, std::string what, const Trait& trait) {
  std::vector<std::string> values;
  for (const FleetNode& node : fleet.nodes) values.push_back(trait(node, fleet.runs));
  find_difference<std::string>(fleet, std::move(what), values,
                               [](const std::string& value, const std::string&) { return one_line(value, 300); });
}

using Names = std::set<const std::string*>;

std::string case_words(const Names& names, const Names& usual) {
  std::set<std::string> lacking;
  std::set<std::string> besides;
  for (const std::string* name : usual) {
    if (!names.contains(name)) lacking.insert(one_line(*name, 80));
  }
  for (const std::string* name : names) {
    if (!usual.contains(name)) besides.insert(one_line(*name, 80));
  }
  std::string text = fmt::format("{} {}", names.size(), names.size() == 1 ? "case" : "cases");
  const auto add = [&text](std::string_view word, const std::set<std::string>& some) {
    constexpr std::size_t shown = 3;
    if (some.empty()) return;
    std::vector<std::string> first(some.begin(),
                                   std::next(some.begin(), static_cast<int>(std::min(shown, some.size()))));
    text += fmt::format(", {} {}", word, fmt::join(first, ", "));
    if (some.size() > shown) text += fmt::format(" and {} more", some.size() - shown);
  };
  add("without", lacking);
  add("with", besides);
  return text;
}

/// The digest that a node's runs have of a case of the site's own.
Trait digest_of(const std::string& name) {
  return [name](const FleetNode& node, const std::vector<KeptRun>& runs) {
    std::set<std::string> digests;
    for (const std::size_t run : node.runs) {
      for (const harness::SiteCase& one : runs[run].start.site_cases) {
        if (one.name == name) digests.insert(one.digest);
      }
    }
    return digests.empty() ? "none" : joined(digests);
  };
}

/// Two nodes that ran something else under one name; that one did not run it is a difference in cases.
void find_different_site_cases(Fleet& fleet) {
  std::map<std::string, std::set<std::string>> digests_of;
  for (const KeptRun& run : fleet.runs) {
    for (const harness::SiteCase& one : run.start.site_cases) digests_of[one.name].insert(one.digest);
  }
  for (const auto& [name, digests] : digests_of) {
    if (digests.size() > 1) find_difference(fleet, fmt::format("files of {}", one_line(name, 80)), digest_of(name));
  }
}

}  // namespace

void find_differences(Fleet& fleet) {
  find_difference(fleet, "gpucheck", version_of);
  find_difference(fleet, "golden files", goldens_of);
  find_difference(fleet, "driver", driver_of);
  find_difference(fleet, "GPUs", gpus_of);
  find_difference(fleet, "settings", settings_of);
  std::vector<Names> cases;
  for (const FleetNode& node : fleet.nodes) cases.push_back(cases_of(node, fleet.runs));
  find_difference<Names>(fleet, "cases", cases, case_words);
  find_different_site_cases(fleet);
}

}  // namespace gpucheck::fleet
