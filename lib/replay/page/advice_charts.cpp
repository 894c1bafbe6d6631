#include "replay/page/advice_charts.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text/count_text.hpp"
#include "base/text/units.hpp"
#include "replay/analysis/telling_frames.hpp"
#include "replay/page/html_text.hpp"
#include "replay/page/treemap.hpp"

namespace gpucheck::replay {

namespace {

constexpr double chart_width = 1000;

std::string label_of(const std::string& settings) {
  return settings.empty() ? std::string("(defaults)") : escaped(settings, 120);
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string svg(const char* css_class, double height, const char* title, const std::string& content) {
  return fmt::format("<svg class=\"{}\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">\n{}</svg>\n",
                     css_class, chart_width, height, title, content);
}

std::string dashed_limit(double x1, double y1, double x2, double y2, std::uint64_t bytes) {
  return fmt::format(
      "<line class=\"limit\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"><title>memory limit: "
      "{}</title></line>\n",
      x1, y1, x2, y2, format_bytes(bytes));
}

std::uint64_t highest_of(const Advice& advice) {
  std::uint64_t highest = 0;
  for (const RankedSettings& row : advice.search.ranking) {
    highest = std::max({highest, row.unlimited.peak_reserved_bytes, row.smallest_memory_bytes.value_or(0)});
  }
  return highest;
}

/// Bytes between lines of a grid that has a handful of them: a power of two.
std::uint64_t grid_step(std::uint64_t highest) {
  std::uint64_t step = 1_MiB;
  while (highest / step > 7) step *= 2;
  return step;
}

class UsagePicture {
 public:
  explicit UsagePicture(const Advice& advice) : advice_(advice) {
    highest_ = shown_limit(advice).value_or(0);
    for (const UsageCurve& curve : advice.curves) {
      for (const UsageCurve::Point& point : curve.points) highest_ = std::max(highest_, point.reserved_bytes);
    }
  }

  [[nodiscard]] std::string draw() const {
    if (highest_ == 0 || advice_.curves.empty()) return "";
    std::string content = grid() + allocated(advice_.curves.front());
    for (std::size_t i = 0; i < advice_.curves.size(); ++i) content += reserved(advice_.curves[i], i);
    if (const auto limit = shown_limit(advice_)) {
      content += dashed_limit(left, height_of(*limit), chart_width, height_of(*limit), *limit);
    }
    return svg("usage", bottom + 24, "Memory over time", content);
  }

 private:
  static constexpr double left = 90;
  static constexpr double top = 8;
  static constexpr double bottom = 360;

  [[nodiscard]] double height_of(std::uint64_t bytes) const { return bottom - (bottom - top) * share(bytes, highest_); }
  [[nodiscard]] double place_of(std::size_t step) const {
    return left + (chart_width - left) * share(step, advice_.step_count);
  }

  [[nodiscard]] std::string grid() const {
    std::string text;
    for (std::uint64_t bytes = 0; bytes <= highest_; bytes += grid_step(highest_)) {
      const double y = height_of(bytes);
      text += fmt::format(
          "<line class=\"grid\" x1=\"{0:.0f}\" y1=\"{1:.1f}\" x2=\"{2:.0f}\" y2=\"{1:.1f}\"/><text x=\"{3:.0f}\" "
          "y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
          left, y, chart_width, left - 6, y + 4, format_bytes(bytes));
    }
    return text + fmt::format(
                      "<text x=\"{:.0f}\" y=\"{:.0f}\">first call</text><text x=\"{:.0f}\" y=\"{:.0f}\" "
                      "text-anchor=\"end\">call {}</text>\n",
                      left, bottom + 16, chart_width, bottom + 16, advice_.step_count);
  }

  [[nodiscard]] std::string allocated(const UsageCurve& curve) const {
    std::string path = fmt::format("M{:.1f} {:.1f}", left, bottom);
    double x = left;
    for (const UsageCurve::Point& point : curve.points) {
      const double next = place_of(point.end_step);
      const double y = height_of(point.allocated_bytes);
      path += fmt::format("L{:.1f} {:.1f}L{:.1f} {:.1f}", x, y, next, y);
      x = next;
    }
    path += fmt::format("L{:.1f} {:.1f}Z", x, bottom);
    return fmt::format("<path class=\"allocated\" d=\"{}\"><title>allocated</title></path>\n", path);
  }

  [[nodiscard]] std::string reserved(const UsageCurve& curve, std::size_t number) const {
    std::string path;
    double x = left;
    for (const UsageCurve::Point& point : curve.points) {
      const double next = place_of(point.end_step);
      const double y = height_of(point.reserved_bytes);
      path += fmt::format("{}{:.1f} {:.1f}L{:.1f} {:.1f}", path.empty() ? "M" : "L", x, y, next, y);
      x = next;
    }
    return fmt::format("<path class=\"reserved curve{}\" d=\"{}\"><title>reserved: {}</title></path>\n", number, path,
                       label_of(curve.settings));
  }

  const Advice& advice_;
  std::uint64_t highest_ = 0;
};

/// The frames of a stack, innermost first, for the title of a mark.
std::string stack_text(const StackTable& stacks, StackId stack) {
  constexpr std::size_t most_frames = 30;
  const std::vector<std::uint32_t>& places = stacks.stacks[stack];
  std::string text;
  for (std::size_t i = 0; i < std::min(most_frames, places.size()); ++i) {
    const StackFrame& frame = stacks.frames[places[i]];
    text += fmt::format("\n{} ({}:{})", escaped(frame.name, 200), escaped(frame.filename, 200), frame.line);
  }
  return text;
}

/// The lines of a stack's name, one for each frame.
std::vector<std::string> lines_of(const std::string& name) {
  constexpr std::string_view between = ", in ";
  std::vector<std::string> lines;
  std::size_t start = 0;
  for (std::size_t end = 0; (end = name.find(between, start)) != std::string::npos; start = end + between.size()) {
    lines.push_back(name.substr(start, end - start) + ",");
  }
  lines.push_back(name.substr(start));
  for (std::size_t i = 1; i < lines.size(); ++i) lines[i].insert(0, "in ");
  return lines;
}

std::string group_mark(const LiveGroup& group, const std::string& name, const std::string& more, Rectangle place,
                       std::size_t number, std::uint64_t whole) {
  std::string text = fmt::format(
      "<g><rect class=\"group\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" "
      "style=\"--hue:{}\"><title>{}: {} in {}, {:.1f}%{}</title></rect>",
      place.x, place.y, place.width, place.height, (number * 67 + 210) % 360, escaped(name, 300),
      format_bytes(group.bytes), count_text(group.count, "allocation"), 100 * share(group.bytes, whole), more);
  // A letter is about 7 wide and 14 high.
  const auto letters = static_cast<std::size_t>(std::max(place.width - 12, 0.0) / 7);
  const auto lines = static_cast<std::size_t>(std::max(place.height - 6, 0.0) / 14);
  if (letters < 8 || lines < 2) return text + "</g>\n";
  double y = place.y + 1;
  const auto add_line = [&](const std::string& line) {
    y += 14;
    text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", place.x + 6, y, escaped(line, letters));
  };
  std::vector<std::string> frames = lines_of(name);
  frames.resize(std::min(frames.size(), lines - 1));
  for (const std::string& frame : frames) add_line(frame);
  add_line(format_bytes(group.bytes));
  return text + "</g>\n";
}

}  // namespace

std::optional<std::uint64_t> shown_limit(const Advice& advice) {
  const bool is_near = advice.memory_limit_bytes && *advice.memory_limit_bytes / 2 <= highest_of(advice);
  return is_near ? advice.memory_limit_bytes : std::nullopt;
}

std::string ranking_chart(const Advice& advice) {
  constexpr double row_height = 46;
  const std::optional<std::uint64_t> limit = shown_limit(advice);
  const std::uint64_t highest = std::max(highest_of(advice), limit.value_or(0));
  if (highest == 0) return "";
  const auto width = [&](std::uint64_t bytes) { return chart_width * share(bytes, highest); };
  std::string content;
  double y = 0;
  for (const RankedSettings& row : advice.search.ranking) {
    const std::uint64_t smallest = row.smallest_memory_bytes.value_or(0);
    const std::uint64_t peak = row.unlimited.peak_reserved_bytes;
    const char* const kind = &row == advice.as_recorded() ? ", as recorded"
                             : &row == advice.advised()   ? ", advised"
                                                          : "";
    const std::string runs = row.smallest_memory_bytes ? "runs in " + format_bytes(smallest) : "runs on no card";
    content += fmt::format(
        "<text class=\"label\" x=\"0\" y=\"{:.0f}\">{}{}: {}; without a limit it reserves {}</text>\n"
        "<rect class=\"peak\" x=\"0\" y=\"{:.0f}\" width=\"{:.1f}\" height=\"18\"/>"
        "<rect class=\"smallest\" x=\"0\" y=\"{:.0f}\" width=\"{:.1f}\" height=\"18\"/>\n",
        y + 14, label_of(row.settings), kind, runs, format_bytes(peak), y + 20, width(peak), y + 20, width(smallest));
    content += fmt::format(
        "<line class=\"least\" x1=\"{0:.1f}\" y1=\"{1:.0f}\" x2=\"{0:.1f}\" y2=\"{2:.0f}\"><title>allocated at once: "
        "{3}</title></line>\n",
        width(advice.search.least_bytes), y + 17, y + 41, format_bytes(advice.search.least_bytes));
    if (limit) {
      content += dashed_limit(width(*limit), y + 17, width(*limit), y + 41, *limit);
    }
    y += row_height;
  }
  return svg("ranking", y, "Settings by the memory they need", content);
}

std::string usage_chart(const Advice& advice) { return UsagePicture(advice).draw(); }

std::string live_chart(const Advice& advice, const StackTable& stacks) {
  constexpr std::size_t most_groups = 60;
  constexpr Rectangle whole{0, 0, chart_width, 420};
  std::vector<LiveGroup> groups = advice.live.by_stack;
  LiveGroup rest;
  for (std::size_t i = most_groups; i < groups.size(); ++i) {
    rest.bytes += groups[i].bytes;
    rest.count += groups[i].count;
  }
  groups.resize(std::min(groups.size(), most_groups));
  // Squares are cut off in order of size: the rest of many small ones may be larger than some.
  const auto place = std::ranges::find_if(groups, [&rest](const LiveGroup& group) { return group.bytes < rest.bytes; });
  const std::size_t rest_at = static_cast<std::size_t>(place - groups.begin());
  if (rest.count > 0) groups.insert(place, rest);
  std::vector<double> weights;
  std::vector<StackId> shown;
  weights.reserve(groups.size());
  shown.reserve(groups.size());
  for (const LiveGroup& group : groups) {
    weights.push_back(static_cast<double>(group.bytes));
    shown.push_back(group.stack);
  }
  const std::vector<Rectangle> places = treemap(weights, whole);
  const std::vector<std::string> names = telling_frames(stacks, shown);
  std::string content;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const bool is_rest = rest.count > 0 && i == rest_at;
    const std::string name = is_rest ? "all others" : names[i].empty() ? "no stack recorded" : names[i];
    content += group_mark(groups[i], name, is_rest ? "" : stack_text(stacks, groups[i].stack), places[i], i,
                          advice.live.bytes);
  }
  return content.empty() ? "" : svg("live", whole.height, "Live at the peak, by stack", content);
}

}  // namespace gpucheck::replay
