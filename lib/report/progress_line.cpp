#include "report/progress_line.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <sys/ioctl.h>

#include "report/sanitize.hpp"
#include "report/wording.hpp"

namespace gpucheck::report {

std::size_t terminal_columns(std::FILE* stream, std::size_t otherwise) {
  winsize size{};
  const bool is_terminal = ::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0;
  return is_terminal && size.ws_col > 0 ? size.ws_col : otherwise;
}

void Progress::start(std::string name, std::size_t total) {
  running_.push_back(std::move(name));
  total_ = total;
}

void Progress::finish(const std::string& name, std::size_t finished, std::size_t total) {
  const auto found = std::find(running_.begin(), running_.end(), name);
  if (found != running_.end()) running_.erase(found);
  finished_ = finished;
  total_ = total;
}

std::string Progress::text(std::size_t width) const {
  using Milliseconds = std::chrono::duration<double, std::milli>;
  const double elapsed = Milliseconds(std::chrono::steady_clock::now() - start_time_).count();
  const std::string names = fmt::format("{}", fmt::join(running_, ", "));
  return one_line(fmt::format("[{}/{}] {} {} running{} {}", finished_, total_, humane_duration(elapsed),
                              running_.size(), running_.empty() ? "" : ":", names),
                  std::max(width, std::size_t{1}));
}

}  // namespace gpucheck::report
