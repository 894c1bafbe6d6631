#include "base/nvml/nvlink_model.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

namespace gpucheck {
namespace {

using enum NvlinkModel::Form;

struct Row {
  std::string_view model;  ///< a word of the name
  std::string_view part;   ///< found anywhere in it; empty: whatever it is
  NvlinkModel nvlink;
};

/// The first that fits counts. Links are what NVIDIA's data sheets give as NVLink bandwidth of the model, over that of
/// one link, both ways: 100 GB/s in generation 5 (B200: 1,800 GB/s), 50 in 4, 3 and 2 (H100 SXM, H200, H20: 900; H100
/// PCIe and NVL with three bridges: 600; A100: 600; H800 and A800: 400; A30: 200; V100 SXM: 300), and 28.125 of an A40
/// (112.5). What one link carries one way is as `nvidia-smi nvlink --status` prints it. Boards of four without switches
/// have a third of the links between each two; V100 modules are not all linked to one another.
constexpr NvlinkModel hopper_board{.form = board, .links = 18, .mbps = 26'562, .to_one = 6};
constexpr NvlinkModel hopper_card{.form = bridge, .links = 12, .mbps = 26'562, .to_one = 12};
constexpr NvlinkModel blackwell_board{.form = board, .links = 18, .mbps = 53'125, .to_one = 18};
constexpr std::array rows{
    Row{"H100", "NVL", hopper_card},
    Row{"H100", "PCIE", hopper_card},
    Row{"H100", "HBM2E", hopper_card},  // "NVIDIA H100 80GB HBM2e": the card, by the name that early drivers give it
    Row{"H100", "HBM3", hopper_board},
    Row{"H100", "SXM", hopper_board},
    Row{"H200", "NVL", {.form = bridge, .links = 18, .mbps = 26'562, .to_one = 6}},  // bridges join two, or four
    Row{"H200", "", hopper_board},
    Row{"H20", "", hopper_board},
    Row{"GH200", "", hopper_board},
    Row{"H800", "PCIE", {.form = bridge, .links = 8, .mbps = 26'562, .to_one = 8}},
    Row{"H800", "", {.form = board, .links = 8, .mbps = 26'562, .to_one = 2}},
    Row{"B200", "", blackwell_board},
    Row{"B300", "", blackwell_board},
    Row{"GB200", "", blackwell_board},
    Row{"GB300", "", blackwell_board},
    Row{"A100", "PCIE", {.form = bridge, .links = 12, .mbps = 25'000, .to_one = 12}},
    Row{"A100", "SXM", {.form = board, .links = 12, .mbps = 25'000, .to_one = 4}},
    Row{"A800", "SXM", {.form = board, .links = 8, .mbps = 25'000, .to_one = 2}},
    Row{"A800", "", {.form = bridge, .links = 8, .mbps = 25'000, .to_one = 8}},
    Row{"A30", "", {.form = bridge, .links = 4, .mbps = 25'000, .to_one = 4}},
    Row{"A40", "", {.form = bridge, .links = 4, .mbps = 14'062, .to_one = 4}},
    Row{"V100", "SXM", {.form = board, .links = 6, .mbps = 25'781, .to_one = 0}},
    Row{"", "SXM", {.form = board, .links = 0, .mbps = 0, .to_one = 0}},
    Row{"", "PCIE", {.form = bridge, .links = 0, .mbps = 0, .to_one = 0}},
    Row{"", "NVL", {.form = bridge, .links = 0, .mbps = 0, .to_one = 0}},
};

/// Where `capitals` stands in the text, in any case of its letters; npos where it does not.
std::size_t find(std::string_view text, std::string_view capitals) noexcept {
  const auto upper = [](unsigned char c) { return static_cast<char>(std::toupper(c)); };
  const auto same = [upper](char a, char b) { return upper(static_cast<unsigned char>(a)) == b; };
  const auto found = std::search(text.begin(), text.end(), capitals.begin(), capitals.end(), same);
  const bool is_there = found != text.end() || capitals.empty();
  return is_there ? static_cast<std::size_t>(found - text.begin()) : std::string_view::npos;
}

/// "H100" in "NVIDIA H100 PCIe" and "H100-SXM", but not in "GH100" or "H100XM".
bool has_word(std::string_view text, std::string_view word) noexcept {
  if (word.empty()) return true;
  const auto is_letter = [&text](std::size_t at) {
    return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
  };
  const std::size_t at = find(text, word);
  return at != std::string_view::npos && (at == 0 || !is_letter(at - 1)) && !is_letter(at + word.size());
}

}  // namespace

const NvlinkModel* nvlink_model(std::string_view gpu_name) noexcept {
  const auto* const row = std::ranges::find_if(rows, [gpu_name](const Row& each) {
    return has_word(gpu_name, each.model) && find(gpu_name, each.part) != std::string_view::npos;
  });
  return row == rows.end() ? nullptr : &row->nvlink;
}

}  // namespace gpucheck
