#include "output/terminal.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdio_ext.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/files/waiting_for_files.hpp"
#include "base/text/sanitize.hpp"

namespace gpucheck::application {

namespace {

std::string_view environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view{value};
}

/// Where `print` writes: stdout, or what a `KeptOutput` has put in its place.
std::FILE* kept_output = nullptr;
std::FILE* output() { return kept_output == nullptr ? stdout : kept_output; }

void write_to_stderr(const std::string& text) {
  try {
    write_when_ready(stderr, text, "stderr");
  } catch (const InterruptedError&) {  // nobody reads it, and the process has been asked to end
  }
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

void print_document(std::string_view text) { write_when_ready(output(), text, "stdout"); }

void note(std::string_view text) {
  constexpr std::size_t longest = 10'000;
  const std::string line = "gpucheck: " + one_line(text, longest) + "\n";
  write_to_stderr(line);
}

void show_progress(std::string_view text) {
  if (can_redraw(stderr)) write_to_stderr(fmt::format("\r\x1b[K{}", text));
}

void clear_progress() { show_progress(""); }

void flush_output() {
  if (kept_output != nullptr) std::fflush(stdout);  // another's: not ours to judge
  if (__fpending(output()) > 0) write_when_ready(output(), "", "stdout");
  errno = 0;
  if (std::fflush(output()) == 0 && std::ferror(output()) == 0) return;
  std::clearerr(output());  // said once
  const char* reason = errno == 0 ? "an earlier write failed" : std::strerror(errno);
  throw EnvironmentError(std::string("the output could not be written to stdout (") + reason + ")");
}

KeptOutput::KeptOutput() : file_(::memfd_create("gpucheck output", MFD_CLOEXEC)) {
  if (file_ >= 0) return;
  throw EnvironmentError(fmt::format("cannot make a file in memory for what is printed: {}", std::strerror(errno)));
}

KeptOutput::~KeptOutput() { ::close(file_); }

void KeptOutput::take() const {
  std::fflush(stdout);
  kept_output = ::fdopen(::dup(file_), "w");
  if (kept_output == nullptr || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    throw EnvironmentError(fmt::format("cannot keep what is printed: {}", std::strerror(errno)));
  }
}

std::string KeptOutput::text() const {
  std::string text;
  char part[65536];
  while (true) {
    const ssize_t count = ::pread(file_, part, sizeof part, static_cast<off_t>(text.size()));
    if (count == 0) return text;
    if (count > 0) text.append(part, static_cast<std::size_t>(count));
    if (count < 0 && errno != EINTR) {
      throw EnvironmentError(fmt::format("cannot read back what was printed: {}", std::strerror(errno)));
    }
  }
}

}  // namespace gpucheck::application
