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
    player_.play_all([this](std::size_t step, const Player::Step& seen) { take(step, seen); });
    result_.steps = trace_.events.size();
    compare_final_state(trace_, target_, result_);
    player_.free_all();
    return std::move(result_);
  }

 private:
  void take(std::size_t step, const Player::Step& seen) {
    const Event& event = trace_.events[step];
    step_is_equal_ = true;
    const bool allocates = event.action == Action::allocate;
    if (allocates) check(step, "out of memory", event.expect_out_of_memory ? 1 : 0, seen.out_of_memory ? 1 : 0);
    if (allocates && seen.address != nullptr) check_address(step, event.id, seen.address);
    if (!trace_.expected_figures.empty()) check_figures(step);
    if (!allocates && trace_.expected_figures.empty()) return;
    ++result_.compared_steps;
    result_.equal_steps += step_is_equal_ ? 1U : 0U;
  }

  void check_figures(std::size_t step) {
    const Figures seen = target_.figures();
    const std::size_t width = trace_.figure_columns.size();
    for (std::size_t i = 0; i < width; ++i) {
      const std::uint8_t column = trace_.figure_columns[i];
      check(step, figure_names[column], trace_.expected_figures[step * width + i], seen[column]);
    }
  }

  void check(std::size_t step, std::string_view figure, std::int64_t expected, std::int64_t seen) {
    if (expected == seen) return;
    step_is_equal_ = false;
    std::vector<Difference>& first = result_.first_differences;
    if (first.empty() || first.front().step == step) first.push_back({step, std::string(figure), expected, seen});
  }

  void check_address(std::size_t step, std::uint32_t id, void* address) {
    if (trace_.expected_same_address.empty()) return;
    const std::uint32_t seen = first_at_.try_emplace(address, id).first->second;
    const std::uint32_t expected = trace_.expected_same_address[id];
    if (expected == Trace::no_expectation) return;
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
  bool step_is_equal_ = true;
  Comparison result_;
};

}  // namespace

Comparison compare(const Trace& trace, ComparableTarget& target) { return Comparer(trace, target).run(); }

}  // namespace gpucheck::replay
