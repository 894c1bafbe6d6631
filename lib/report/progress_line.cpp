#include "report/progress_line.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <sys/ioctl.h>

#include "base/text/sanitize.hpp"
#include "report/wording.hpp"

namespace gpucheck::report {

std::size_t terminal_columns(std::FILE* stream, std::size_t otherwise) {
  winsize size{};
  const bool is_terminal = ::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0;
  return is_terminal && size.ws_col > 0 ? size.ws_col : otherwise;
}

namespace {

double milliseconds_between(Progress::Time from, Progress::Time to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

}  // namespace

void Progress::start(std::string name, std::size_t total, Time now) {
  running_.push_back({std::move(name), now});
  total_ = total;
}

void Progress::finish(const std::string& name, std::size_t finished, std::size_t total) {
  const auto found = std::ranges::find(running_, name, &Running::name);
  if (found != running_.end()) running_.erase(found);
  finished_ = finished;
  total_ = total;
}

std::string Progress::text(std::size_t width, Time now) const {
  std::vector<std::string_view> names;
  for (const Running& running : running_) names.push_back(running.name);
  return one_line(fmt::format("[{}/{}] {} {} running{} {}", finished_, total_,
                              format_duration(milliseconds_between(start_time_, now)), running_.size(),
                              running_.empty() ? "" : ":", fmt::join(names, ", ")),
                  std::max(width, std::size_t{1}));
}

std::string Progress::heartbeat(Time now) const {
  std::vector<std::string> texts;
  for (const Running& running : running_) {
    texts.push_back(fmt::format("{} ({})", running.name, format_duration(milliseconds_between(running.since, now))));
  }
  return fmt::format("still running after {}, {} of {} finished{}{}",
                     format_duration(milliseconds_between(start_time_, now)), finished_, total_,
                     texts.empty() ? "" : ": ", fmt::join(texts, ", "));
}

}  // namespace gpucheck::report
