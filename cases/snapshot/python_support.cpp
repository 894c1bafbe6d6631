#include "cases/snapshot/python_support.hpp"

#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"
#include "harness/case/context.hpp"

namespace gpucheck::cases::in_snapshot {
namespace {

constexpr int not_found = 127;  // of a shell

/// A file without a name that child processes inherit.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content) : descriptor_(::memfd_create("gpucheck", 0)) {
    std::size_t written = 0;
    while (descriptor_ >= 0 && written < content.size()) {
      const ssize_t more = ::write(descriptor_, content.data() + written, content.size() - written);
      if (more <= 0) break;
      written += static_cast<std::size_t>(more);
    }
    if (descriptor_ < 0 || written < content.size()) throw EnvironmentError("cannot make a file in memory");
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] std::string path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

 private:
  int descriptor_;
};

std::string in_quotes(std::string_view word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// All that the command prints, and its exit code.
std::pair<std::string, int> run_command(const std::string& command) {
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw EnvironmentError("cannot start a shell for python3");
  std::string output;
  std::array<char, 4096> part{};
  for (std::size_t n = 0; (n = std::fread(part.data(), 1, part.size(), pipe)) > 0;) output.append(part.data(), n);
  const int status = ::pclose(pipe);
  while (output.ends_with('\n')) output.pop_back();
  return {output, WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

}  // namespace

std::string run_python(std::string_view program, std::string_view input, const std::vector<std::string>& arguments) {
  const MemoryFile file(input);
  // Unbuffered: else what it printed comes behind the words of the error that ended it.
  std::string command = fmt::format("python3 -u -I -c {} {}", in_quotes(program), file.path());
  for (const std::string& argument : arguments) command += fmt::format(" {}", in_quotes(argument));
  const auto [output, exit_code] = run_command(fmt::format("{} 2>&1", command));
  if (exit_code == not_found) throw harness::Skip("this machine has no python3");
  return exit_code == 0 ? output : fmt::format("failed: {}", output.substr(output.rfind('\n') + 1));
}

}  // namespace gpucheck::cases::in_snapshot
