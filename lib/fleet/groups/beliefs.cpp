#include "fleet/groups/beliefs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace gpucheck::fleet {
namespace {

std::size_t count_common(const Bits& a, const Bits& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += static_cast<std::size_t>(std::popcount(a[i] & b[i]));
  return count;
}

std::size_t count_common(const Bits& a, const Bits& b, const Bits& c) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += static_cast<std::size_t>(std::popcount(a[i] & b[i] & c[i]));
  return count;
}

double pairs_in(std::size_t nodes) { return static_cast<double>(nodes) * (static_cast<double>(nodes) - 1) / 2; }

/// Adds up what links a growing group has both sides of.
class LinksSeen {
 public:
  LinksSeen(const std::vector<double>& uplinks, const std::vector<double>& pairs)
      : uplinks_(&uplinks), pairs_(&pairs), seen_(uplinks.size()) {}

  /// @return the weight of the links that become complete with a node below this switch.
  double add(std::size_t its_switch) {
    if (seen_[its_switch] != 0) return 0;
    double sum = 0;
    for (const std::size_t other : order_) sum += (*pairs_)[other * seen_.size() + its_switch];
    if (order_.size() == 1) sum += (*uplinks_)[order_.front()];
    if (!order_.empty()) sum += (*uplinks_)[its_switch];
    seen_[its_switch] = 1;
    order_.push_back(its_switch);
    return sum;
  }

 private:
  const std::vector<double>* uplinks_;
  const std::vector<double>* pairs_;
  std::vector<char> seen_;
  std::vector<std::size_t> order_;
};

}  // namespace

double Prior::of(CulpritKind kind) const {
  switch (kind) {
    case CulpritKind::node:
      return node;
    case CulpritKind::pair:
      return pair;
    case CulpritKind::uplink:
      return uplink;
    case CulpritKind::switch_pair:
      return switch_pair;
  }
  return 0;
}

Beliefs::Beliefs(const Fabric& fabric, const TestLog& log, const Prior& prior, TestScope scope,
                 const std::vector<Defect>& known)
    : fabric_(&fabric), scope_(std::move(scope)), class_of_(fabric.nodes(), outside) {
  sort_into_classes(log, known);
  weigh(log, prior, known);
}

void Beliefs::sort_into_classes(const TestLog& log, const std::vector<Defect>& known) {
  Bits relevant = scope_.bad;
  add_all(relevant, scope_.good);
  std::map<std::tuple<Bits, Bits, Bits, Bits>, std::size_t> numbers;
  for (const std::size_t node : scope_.nodes) {
    Bits side_a(words_for(known.size()));
    Bits side_b(words_for(known.size()));
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (fabric_->on_side_a(known[i], node)) insert(side_a, i);
      if (fabric_->on_side_b(known[i], node)) insert(side_b, i);
    }
    Bits elsewhere(words_for(scope_.elsewhere.size()));
    for (std::size_t i = 0; i < scope_.elsewhere.size(); ++i) {
      if (has(log.nodes_of(scope_.elsewhere[i].test), node)) insert(elsewhere, i);
    }
    Bits tests = common(log.tests_of(node), relevant);
    const auto [place, is_new] = numbers.try_emplace({tests, side_a, side_b, elsewhere}, classes_.size());
    if (is_new)
      classes_.push_back({std::move(tests), std::move(side_a), std::move(side_b), std::move(elsewhere), {}, 0});
    class_of_[node] = place->second;
    classes_[place->second].nodes.push_back(node);
  }
}

bool Beliefs::separated_classes(const Class& x, const Class& y) const {
  return !disjoint(x.side_a, y.side_b) || !disjoint(x.side_b, y.side_a);
}

bool Beliefs::separated(std::size_t x, std::size_t y) const {
  return separated_classes(classes_[class_of_[x]], classes_[class_of_[y]]);
}

bool Beliefs::is_elsewhere(std::size_t node) const {
  return std::ranges::any_of(classes_[class_of_[node]].elsewhere, [](std::uint64_t word) { return word != 0; });
}

/// Links with nodes of the scope on both sides that can be in one group.
std::vector<Defect> Beliefs::possible_links(const std::vector<Defect>& known) const {
  const std::size_t switches = fabric_->switches();
  std::vector<char> present(switches, 0);
  for (const std::size_t node : scope_.nodes) present[fabric_->switch_of(node)] = 1;
  std::vector<char> cut(switches, 0);
  std::vector<char> pair_cut(switches * switches, 0);
  for (const Defect& defect : known) {
    if (defect.kind == CulpritKind::uplink) cut[defect.a] = 1;
    if (defect.kind == CulpritKind::switch_pair) pair_cut[defect.a * switches + defect.b] = 1;
  }
  const auto joined = [&](std::size_t a, std::size_t b) {
    return present[a] != 0 && present[b] != 0 && cut[a] == 0 && cut[b] == 0 &&
           pair_cut[std::min(a, b) * switches + std::max(a, b)] == 0;
  };
  std::vector<Defect> possible;
  for (const Defect& link : fabric_->links()) {
    bool is_possible = link.kind == CulpritKind::switch_pair && joined(link.a, link.b);
    for (std::size_t b = 0; link.kind == CulpritKind::uplink && b < switches && !is_possible; ++b) {
      is_possible = b != link.a && joined(link.a, b);
    }
    if (is_possible) possible.push_back(link);
  }
  return possible;
}

void Beliefs::weigh(const TestLog& log, const Prior& prior, const std::vector<Defect>& known) {
  const std::size_t count = classes_.size();
  const auto score = [&](CulpritKind kind, std::size_t bad, std::size_t good) {
    return std::log(prior.of(kind)) + prior.log_bad * static_cast<double>(bad) +
           prior.log_good * static_cast<double>(good);
  };
  double greatest = 0;
  const auto noted = [&greatest](double value) {
    greatest = std::max(greatest, value);
    return value;
  };
  const double never = -std::numeric_limits<double>::infinity();
  for (Class& one : classes_) {
    const std::size_t bad = count_common(one.tests, scope_.bad);
    const std::size_t good = count_common(one.tests, scope_.good);
    one.weight = is_elsewhere(one.nodes.front()) ? never : noted(score(CulpritKind::node, bad, good));
  }
  const double log_pair = std::log(prior.pair);
  pairs_.assign(count * count, never);
  for (std::size_t x = 0; x < count; ++x) {
    for (std::size_t y = x; y < count; ++y) {
      if (separated_classes(classes_[x], classes_[y])) continue;
      if (!disjoint(classes_[x].elsewhere, classes_[y].elsewhere)) continue;
      if (x == y && classes_[x].nodes.size() < 2) continue;
      const std::size_t bad = count_common(classes_[x].tests, classes_[y].tests, scope_.bad);
      const std::size_t good = count_common(classes_[x].tests, classes_[y].tests, scope_.good);
      const double value =
          log_pair + prior.log_bad * static_cast<double>(bad) + prior.log_good * static_cast<double>(good);
      pairs_[x * count + y] = pairs_[y * count + x] = noted(value);
    }
  }
  for (const Defect& link : possible_links(known)) {
    const Bits tests = log.tests_of(link);
    double value = score(link.kind, count_common(tests, scope_.bad), count_common(tests, scope_.good));
    for (const auto& [test, gain] : scope_.elsewhere) {
      if (has(tests, test)) value += gain;
    }
    links_.push_back({link, noted(value)});
  }

  scale(greatest);
}

/// From logarithms to weights, of which the greatest is 1.
void Beliefs::scale(double greatest) {
  none_ = std::exp(-greatest);
  for (Class& one : classes_) {
    one.weight = std::exp(one.weight - greatest);
    all_ += one.weight * static_cast<double>(one.nodes.size());
  }
  for (double& weight : pairs_) weight = std::exp(weight - greatest);
  for (std::size_t x = 0; x < classes_.size(); ++x) {
    const std::size_t size = classes_[x].nodes.size();
    all_ += pair_weight(x, x) * pairs_in(size);
    for (std::size_t y = x + 1; y < classes_.size(); ++y) {
      all_ += pair_weight(x, y) * static_cast<double>(size) * static_cast<double>(classes_[y].nodes.size());
    }
  }
  uplinks_.assign(fabric_->switches(), 0);
  switch_pairs_.assign(fabric_->switches() * fabric_->switches(), 0);
  for (Link& link : links_) {
    link.weight = std::exp(link.weight - greatest);
    all_ += link.weight;
    if (link.defect.kind == CulpritKind::uplink) {
      uplinks_[link.defect.a] = link.weight;
    } else {
      switch_pairs_[link.defect.a * uplinks_.size() + link.defect.b] = link.weight;
      switch_pairs_[link.defect.b * uplinks_.size() + link.defect.a] = link.weight;
    }
  }
}

double Beliefs::links() const {
  double sum = 0;
  for (const Link& link : links_) sum += link.weight;
  return sum;
}

double Beliefs::weight_of(const Defect& defect) const {
  switch (defect.kind) {
    case CulpritKind::node:
      return in_scope(defect.a) ? classes_[class_of_[defect.a]].weight : 0;
    case CulpritKind::pair:
      return in_scope(defect.a) && in_scope(defect.b) ? pair_weight(class_of_[defect.a], class_of_[defect.b]) : 0;
    case CulpritKind::uplink:
      return uplinks_[defect.a];
    case CulpritKind::switch_pair:
      return switch_pairs_[defect.a * uplinks_.size() + defect.b];
  }
  return 0;
}

double Beliefs::of_two(std::size_t x, std::size_t y) const {
  const std::size_t a = fabric_->switch_of(x);
  const std::size_t b = fabric_->switch_of(y);
  const double links = a == b ? 0 : uplinks_[a] + uplinks_[b] + switch_pairs_[a * uplinks_.size() + b];
  return classes_[class_of_[x]].weight + classes_[class_of_[y]].weight + pair_weight(class_of_[x], class_of_[y]) +
         links;
}

std::vector<double> Beliefs::of_prefixes(std::span<const std::size_t> nodes) const {
  LinksSeen links(uplinks_, switch_pairs_);
  std::vector<double> sums;
  sums.reserve(nodes.size());
  std::vector<std::size_t> seen(classes_.size());
  std::vector<std::size_t> seen_classes;
  double sum = 0;
  for (const std::size_t node : nodes) {
    if (const std::size_t number = class_of_[node]; number != outside) {
      sum += classes_[number].weight;
      for (const std::size_t other : seen_classes) sum += static_cast<double>(seen[other]) * pair_weight(number, other);
      if (seen[number]++ == 0) seen_classes.push_back(number);
    }
    sum += links.add(fabric_->switch_of(node));
    sums.push_back(sum);
  }
  return sums;
}

std::vector<double> Beliefs::of_nodes() const {
  std::vector<double> of_class;
  of_class.reserve(classes_.size());
  for (std::size_t x = 0; x < classes_.size(); ++x) {
    double sum = classes_[x].weight - pair_weight(x, x);
    for (std::size_t y = 0; y < classes_.size(); ++y) {
      sum += pair_weight(x, y) * static_cast<double>(classes_[y].nodes.size());
    }
    of_class.push_back(sum);
  }
  std::vector<double> result;
  result.reserve(scope_.nodes.size());
  for (const std::size_t node : scope_.nodes) result.push_back(of_class[class_of_[node]]);
  return result;
}

std::vector<std::pair<double, Defect>> Beliefs::likeliest(std::size_t count) const {
  std::vector<std::pair<double, Defect>> found;
  for (std::size_t x = 0; x < classes_.size(); ++x) {
    const std::vector<std::size_t>& nodes = classes_[x].nodes;
    found.push_back({classes_[x].weight, {CulpritKind::node, nodes[0], nodes[0]}});
    if (nodes.size() > 1) found.push_back({pair_weight(x, x), {CulpritKind::pair, nodes[0], nodes[1]}});
    for (std::size_t y = x + 1; y < classes_.size(); ++y) {
      const std::size_t other = classes_[y].nodes[0];
      found.push_back({pair_weight(x, y), {CulpritKind::pair, std::min(nodes[0], other), std::max(nodes[0], other)}});
    }
  }
  for (const Link& link : links_) found.push_back({link.weight, link.defect});
  const auto less = [](const auto& x, const auto& y) {
    return x.first > y.first || (x.first == y.first && x.second < y.second);
  };
  const auto middle = found.begin() + static_cast<std::ptrdiff_t>(std::min(count, found.size()));
  std::ranges::partial_sort(found, middle, less);
  found.erase(middle, found.end());
  return found;
}

std::optional<std::pair<std::size_t, std::size_t>> Beliefs::not_together() const {
  for (std::size_t x = 0; x < classes_.size(); ++x) {
    for (std::size_t y = x; y < classes_.size(); ++y) {
      if (x == y && classes_[x].nodes.size() < 2) continue;
      if (separated_classes(classes_[x], classes_[y])) continue;
      if (count_common(classes_[x].tests, classes_[y].tests, scope_.good) > 0) continue;
      return std::pair(classes_[x].nodes.front(), classes_[y].nodes.back());
    }
  }
  return std::nullopt;
}

}  // namespace gpucheck::fleet
