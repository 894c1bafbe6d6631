#include "terminal.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <string>
#include <unistd.h>

#include "base/error.hpp"
#include "base/sanitize.hpp"

namespace gpucheck::application {

namespace {

std::string_view environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view{value};
}

}  // namespace

void open_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // The lowest number that is free is the one that is to be taken.
    const int taken = ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (taken < 0) static_cast<void>(::open("/", O_RDONLY | O_DIRECTORY));
  }
}

bool can_redraw(std::FILE* stream) { return ::isatty(::fileno(stream)) == 1 && environment_variable("TERM") != "dumb"; }

bool use_colour(ColourChoice choice, std::FILE* stream) {
  if (choice != ColourChoice::automatic) return choice == ColourChoice::always;
  return can_redraw(stream) && environment_variable("NO_COLOR").empty() &&
         environment_variable("GPUCHECK_NO_COLOR").empty();
}

void print(std::string_view text) { print_document(clean_text(text)); }

void print_document(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void note(std::string_view text) {
  constexpr std::size_t longest = 10'000;
  const std::string line = "gpucheck: " + one_line(text, longest) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void show_progress(std::string_view text) {
  if (can_redraw(stderr)) fmt::print(stderr, "\r\x1b[K{}", text);
}

void clear_progress() { show_progress(""); }

void flush_output() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  std::clearerr(stdout);  // said once
  const char* reason = errno == 0 ? "an earlier write failed" : std::strerror(errno);
  throw EnvironmentError(std::string("the output could not be written to stdout (") + reason + ")");
}

}  // namespace gpucheck::application
