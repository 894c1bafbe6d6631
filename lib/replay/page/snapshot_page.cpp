#include "replay/page/snapshot_page.hpp"

#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "base/text/units.hpp"
#include "replay/analysis/object_names.hpp"
#include "replay/analysis/snapshot_summary.hpp"
#include "replay/analysis/telling_frames.hpp"
#include "replay/page/html_text.hpp"
#include "replay/page/page_data.hpp"
#include "replay/page/page_template.hpp"

namespace gpucheck::replay {

namespace {

std::string row(const std::string& name, const PoolUsage& usage) {
  return fmt::format(
      "<tr><td class=\"text\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
      "<td>{}</td></tr>\n",
      name, usage.segment_count, format_bytes(usage.reserved_bytes), format_bytes(usage.allocated_bytes),
      format_bytes(usage.requested_bytes), format_bytes(usage.pending_free_bytes), format_bytes(usage.inactive_bytes),
      format_share(usage.inactive_bytes, usage.reserved_bytes), format_bytes(usage.largest_inactive_bytes));
}

std::string pools_table(const DeviceSummary& summary, const ObjectNames& names) {
  constexpr std::size_t max_rows = 100;
  std::string text = fmt::format(
      "<div class=\"wide\"><table><caption>Device {}: segments by pool</caption>\n<tr><th scope=\"col\" "
      "class=\"text\">pool</th><th scope=\"col\">segments</th><th scope=\"col\">reserved</th><th "
      "scope=\"col\">allocated"
      "</th><th scope=\"col\">asked for</th><th scope=\"col\">waiting</th><th scope=\"col\">inactive</th><th "
      "scope=\"col\">share</th><th scope=\"col\">largest inactive</th></tr>\n",
      summary.device);
  text += row("all", summary.total);
  for (std::size_t i = 0; i < std::min(max_rows, summary.pools.size()); ++i) {
    const PoolUsage& pool = summary.pools[i];
    text += row(fmt::format("{}, {}, stream {}", names.pool(pool.pool), pool.is_large ? "large" : "small",
                            escaped(names.stream(pool.stream), 80)),
                pool);
  }
  text += "</table></div>\n";
  if (summary.pools.size() > max_rows) text += fmt::format("<p>and {} more</p>\n", summary.pools.size() - max_rows);
  return text;
}

std::string largest_table(const DeviceSummary& summary, const ObjectNames& names, const StackTable& stacks) {
  if (summary.largest.empty()) return "";
  std::string text = fmt::format(
      "<div class=\"wide\"><table><caption>Device {}: largest blocks in use</caption>\n<tr><th scope=\"col\">size</th>"
      "<th scope=\"col\">asked for</th><th scope=\"col\" class=\"text\">address</th><th scope=\"col\" "
      "class=\"text\">pool</th><th scope=\"col\" class=\"text\">allocated in</th></tr>\n",
      summary.device);
  std::vector<StackId> used_in;
  for (const DeviceSummary::Use& use : summary.largest) used_in.push_back(use.block.stack);
  const std::vector<std::string> frames = telling_frames(stacks, used_in);
  for (std::size_t i = 0; i < summary.largest.size(); ++i) {
    const DeviceSummary::Use& use = summary.largest[i];
    text += fmt::format(
        "<tr><td>{}</td><td>{}</td><td class=\"text\">0x{:x}</td><td class=\"text\">{}</td><td "
        "class=\"text\">{}</td></tr>\n",
        format_bytes(use.block.size), format_bytes(use.block.requested_size), use.block.address, names.pool(use.pool),
        escaped(frames[i], 300));
  }
  return text + "</table></div>\n";
}

std::string tables(const Snapshot& snapshot, const std::vector<std::size_t>& devices) {
  std::string text = "<section><h2>Statistics</h2>\n";
  for (const std::size_t device : devices) {
    const DeviceSummary summary = summarize(snapshot, device);
    const ObjectNames names(snapshot, device);
    text += pools_table(summary, names) + largest_table(summary, names, snapshot.stacks);
  }
  return text + "</section>\n";
}

std::string about(const Snapshot& snapshot) {
  const auto& settings = snapshot.settings.text;
  if (!settings) return "Allocator settings: the file does not say";
  return settings->empty() ? "Allocator settings: the defaults" : "Allocator settings: " + escaped(*settings, 1000);
}

}  // namespace

std::string snapshot_page(const Snapshot& snapshot, const std::string& title, const std::vector<std::size_t>& devices,
                          const PageLimits& limits) {
  const std::string data = page_data(snapshot, devices, limits);
  const std::string head = escaped(title, 300);
  const std::string settings = about(snapshot);
  const std::string statistics = tables(snapshot, devices);
  return filled(page_html(), {{"title", head},
                              {"about", settings},
                              {"tables", statistics},
                              {"data", data},
                              {"style", page_css()},
                              {"script", page_js()}});
}

}  // namespace gpucheck::replay
