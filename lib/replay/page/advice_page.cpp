#include "replay/page/advice_page.hpp"

#include <fmt/format.h>

#include "base/text/count_text.hpp"
#include "base/text/units.hpp"
#include "replay/page/advice_charts.hpp"
#include "replay/page/html_text.hpp"
#include "replay/page/page_template.hpp"

namespace gpucheck::replay {

namespace {

constexpr std::string_view page = R"html(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{{title}}: memory advice</title>
<style>
{{style}}.least { stroke: var(--text); stroke-width: 1.5; }
.limit { stroke: var(--failure); stroke-width: 2; stroke-dasharray: 7 4; }
.label { fill: var(--text); font-size: 13px; }
rect.peak { fill: var(--inactive); stroke: var(--rule); }
rect.smallest { fill: var(--allocated); }
path.allocated { fill: var(--rest); opacity: .6; }
path.reserved { fill: none; stroke-width: 2; stroke-dasharray: none; vector-effect: non-scaling-stroke; }
path.curve0 { stroke: var(--pending); }
path.curve1 { stroke: var(--allocated); }
.group { fill: hsl(var(--hue) 45% var(--band-lightness)); stroke: var(--ground); stroke-width: 1.5; }
.live text { fill: #000; font-size: 12px; pointer-events: none; }
.swatch.recorded { background: var(--pending); }
.swatch.peak { background: var(--inactive); }
.swatch.limit { background: var(--failure); }
</style>
</head>
<body>
<header><h1>{{title}}</h1></header>
<main>
{{devices}}<section><h2>Report</h2><div class="wide"><pre>{{report}}</pre></div></section>
</main>
</body>
</html>
)html";

std::string section(std::string_view title, std::string_view legend, const std::string& chart) {
  if (chart.empty()) return "";
  return fmt::format("<section><h2>{}</h2>\n<p class=\"legend\">{}</p>\n{}</section>\n", title, legend, chart);
}

std::string limit_legend(const Advice& advice) {
  if (!advice.memory_limit_bytes) return "";
  const std::string limit = format_bytes(*advice.memory_limit_bytes);
  if (!shown_limit(advice)) return fmt::format("<span>memory limit: {}, far above</span>", limit);
  return fmt::format("<span><i class=\"swatch limit\"></i>memory limit: {}</span>", limit);
}

std::string legend_of(const Advice& advice) {
  std::string text = "<span><i class=\"swatch rest\"></i>allocated</span>";
  constexpr const char* swatches[] = {"recorded", "state1"};
  for (std::size_t i = 0; i < advice.curves.size(); ++i) {
    const std::string& settings = advice.curves[i].settings;
    text += fmt::format("<span><i class=\"swatch {}\"></i>reserved, {}</span>", swatches[i],
                        settings.empty() ? "(defaults)" : escaped(settings, 120));
  }
  return text + limit_legend(advice);
}

std::string verdict_of(const Advice& advice) {
  const RankedSettings* const best = advice.advised();
  if (advice.is_beyond_all_settings()) return "No settings can help: more is allocated at once than there may be.";
  if (best == nullptr) {
    return advice.search.outcome == AdviceOutcome::recorded_fits  ? "The settings it ran with suffice."
           : advice.search.outcome == AdviceOutcome::nothing_else ? "Nothing is advised: the report says why."
                                                                  : "The settings it ran with are as good as any.";
  }
  return fmt::format("Set <code>{}</code>: it then runs in {}.",
                     best->settings.empty() ? "no settings" : escaped(best->settings, best->settings.size() + 1),
                     format_bytes(*best->smallest_memory_bytes));
}

std::string device_sections(const AdvisedProgram& program, bool is_one_of_several) {
  const Advice& advice = program.advice;
  const std::string name = is_one_of_several ? escaped(program.name, 300) + ", device" : "Device";
  return fmt::format("<section><h2>{} {}</h2><p>{}</p></section>\n", name, advice.device, verdict_of(advice)) +
         section("Settings by the memory they need",
                 "<span><i class=\"swatch state1\"></i>smallest memory in which all of it runs</span><span><i "
                 "class=\"swatch peak\"></i>reserved at the peak without a limit</span><span>black line: allocated at "
                 "once, which no settings can go below</span>" +
                     limit_legend(advice),
                 ranking_chart(advice)) +
         section("Memory over time, without a limit", legend_of(advice), usage_chart(advice)) +
         section("Live at the peak of what is allocated, by stack",
                 fmt::format("{} in {}, as asked for; each area is what one stack has allocated",
                             format_bytes(advice.live.bytes), count_text(advice.live.count, "allocation")),
                 live_chart(advice, program.stacks));
}

}  // namespace

std::string advice_page(std::span<const AdvisedProgram> programs, const std::string& title, const std::string& report) {
  std::string devices;
  for (const AdvisedProgram& program : programs) devices += device_sections(program, programs.size() > 1);
  const std::string head = escaped(title, 300);
  const std::string text = escaped_lines(report);
  return filled(page, {{"title", head}, {"style", page_css()}, {"devices", devices}, {"report", text}});
}

}  // namespace gpucheck::replay
