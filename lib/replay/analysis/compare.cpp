#include "replay/analysis/compare.hpp"

#include <unordered_map>

#include "replay/analysis/final_state.hpp"
#include "replay/targets/player.hpp"

namespace gpucheck::replay {

namespace {

class Comparer {
 public:
  Comparer(const Trace& trace, ComparableTarget& target) : trace_(trace), target_(target), player_(trace, target) {}

  Comparison run() {
    player_.play_all([this](std::size_t step, const Player::Step& seen) { compare(step, seen); });
    result_.steps = trace_.events.size();
    compare_final_state(trace_, target_, result_);
    player_.free_all();
    return std::move(result_);
  }

 private:
  void compare(std::size_t step, const Player::Step& seen) {
    const Event& event = trace_.events[step];
    step_is_equal_ = true;
    const bool allocates = event.action == Action::allocate;
    if (allocates) check(step, "out of memory", event.expect_out_of_memory ? 1 : 0, seen.out_of_memory ? 1 : 0);
    if (allocates && seen.address != nullptr) check_address(step, event.id, seen.address);
    const bool is_recorded = has_row(step);
    if (is_recorded) check_statistics(step);
    if (!allocates && !is_recorded) return;
    ++result_.compared_steps;
    result_.equal_steps += step_is_equal_ ? 1U : 0U;
  }

  /// Whether statistics were recorded after the step. Asked of each in order.
  bool has_row(std::size_t step) {
    if (trace_.expected_statistics.empty()) return false;
    const bool is_next = next_unrecorded_ != trace_.unrecorded_steps.end() && *next_unrecorded_ == step;
    if (is_next) ++next_unrecorded_;
    return !is_next;
  }

  void check_statistics(std::size_t step) {
    const StepStatistics seen = target_.step_statistics();
    const std::size_t width = trace_.statistic_columns.size();
    for (std::size_t i = 0; i < width; ++i) {
      const std::uint8_t column = trace_.statistic_columns[i];
      check(step, names_[column], trace_.expected_statistics[step * width + i], seen[column]);
    }
  }

  void check(std::size_t step, std::string_view statistic, std::int64_t expected, std::int64_t seen) {
    if (expected == seen) return;
    step_is_equal_ = false;
    std::vector<Difference>& first = result_.first_differences;
    if (first.empty() || first.front().step == step) first.push_back({step, std::string(statistic), expected, seen});
  }

  void check_address(std::size_t step, std::uint32_t id, void* address) {
    if (trace_.expected_same_address.empty()) return;
    const std::uint32_t expected = trace_.expected_same_address[id];
    const bool is_pinned = trace_.memory == MemoryKind::pinned;
    // Host memory may come back at an address it had before: then another block is there.
    if (is_pinned && expected == id) first_at_.erase(address);
    const std::uint32_t seen = first_at_.try_emplace(address, id).first->second;
    if (expected == Trace::no_expectation) return;
    // Which free pinned block serves is the allocator's own choice, on every machine.
    if (is_pinned) check(step, "same_address_as", expected, seen);
    ++result_.addresses.compared;
    if (seen == expected) {
      ++result_.addresses.equal;
    } else if (!result_.addresses.first_difference) {
      result_.addresses.first_difference = step;
    }
  }

  const Trace& trace_;
  ComparableTarget& target_;
  Player player_;
  std::unordered_map<void*, std::uint32_t> first_at_;  ///< earliest allocation at each address
  std::span<const std::string_view> names_ = statistic_names_of(trace_.memory);
  std::vector<std::size_t>::const_iterator next_unrecorded_ = trace_.unrecorded_steps.begin();
  bool step_is_equal_ = true;
  Comparison result_;
};

}  // namespace

Comparison compare(const Trace& trace, ComparableTarget& target) { return Comparer(trace, target).run(); }

}  // namespace gpucheck::replay
