#include "commands/acceptance/signature.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <span>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/files/input_file.hpp"
#include "base/text/sanitize.hpp"

namespace gpucheck::application {
namespace {

/// What is written to a program's standard input, while it takes it.
using Feed = std::function<void(int descriptor)>;

struct ProgramEnd {
  bool succeeded = false;
  std::string output;  ///< what it printed, errors included
};

[[noreturn]] void fail_to_check(std::string_view what) {
  throw EnvironmentError(fmt::format("the signature cannot be checked: {}: {}", what, std::strerror(errno)));
}

[[noreturn]] void fail_to_start(int reason) {
  if (reason == ENOENT) {
    throw EnvironmentError(
        "the signature cannot be checked: ssh-keygen is not installed. It is in the package openssh-client (Debian, "
        "Ubuntu) or openssh-clients (others); install it, or check on a machine that has it");
  }
  errno = reason;
  fail_to_check("ssh-keygen");
}

/// Both ends of a pipe, closed at the end.
class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) fail_to_check("a pipe");
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_reader();
    close_writer();
  }

  [[nodiscard]] int reader() const noexcept { return ends_[0]; }
  [[nodiscard]] int writer() const noexcept { return ends_[1]; }
  void close_reader() { close(ends_[0]); }
  void close_writer() { close(ends_[1]); }

 private:
  static void close(int& end) {
    if (end >= 0) ::close(std::exchange(end, -1));
  }
  std::array<int, 2> ends_{-1, -1};
};

/// Signals as a program finds them that a shell starts.
pid_t spawn(const std::vector<std::string>& words, int input, int output) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t pipe;
  ::sigemptyset(&none);
  ::sigemptyset(&pipe);
  ::sigaddset(&pipe, SIGPIPE);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &pipe);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t process = -1;
  const int problem = ::posix_spawnp(&process, arguments.front(), &files, &attributes, arguments.data(), ::environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  if (problem != 0) fail_to_start(problem);
  return process;
}

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> room;
  while (true) {
    const ssize_t count = ::read(descriptor, room.data(), room.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    if (text.size() < (1U << 16U)) text.append(room.data(), static_cast<std::size_t>(count));
  }
}

/// Runs ssh-keygen to its end. It prints less than a pipe holds until it has read all.
ProgramEnd run(const std::vector<std::string>& words, const Feed& feed) {
  Pipe input;
  Pipe output;
  const pid_t process = spawn(words, input.reader(), output.writer());
  input.close_reader();
  output.close_writer();
  ProgramEnd end;
  std::exception_ptr problem;
  try {
    feed(input.writer());
  } catch (...) {
    problem = std::current_exception();
  }
  input.close_writer();
  end.output = read_all(output.reader());
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  if (problem) std::rethrow_exception(problem);
  end.succeeded = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return end;
}

/// Gives the file's bytes to whoever reads them; who has stopped reading has made up its mind. Returns their digest.
std::string feed_file(const std::string& path, int descriptor) {
  const InputFile file(path);
  if (!file.is_open()) fail_to_check(path);
  if (!file.size()) throw EnvironmentError(fmt::format("{} is not a file: its signature cannot be checked", path));
  Sha256 digest;
  std::array<char, 65536> room;
  bool is_read = true;
  while (true) {
    const std::optional<std::size_t> count = file.read(room);
    if (!count) fail_to_check(path);
    if (*count == 0) return digest.take();
    std::string_view rest(room.data(), *count);
    digest.add(rest);
    while (is_read && !rest.empty()) {
      const ssize_t written = ::write(descriptor, rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      is_read = written > 0;
      if (is_read) rest.remove_prefix(static_cast<std::size_t>(written));
    }
  }
}

void require_readable(const std::string& path) {
  const InputFile file(path);
  if (!file.is_open()) fail_to_check(path);
}

}  // namespace

SignatureCheck check_signature(const std::string& path, const std::string& signature_path,
                               const std::string& allowed_signers_path) {
  require_readable(signature_path);
  require_readable(allowed_signers_path);
  const Feed nothing = [](int) {};
  const ProgramEnd principals =
      run({"ssh-keygen", "-Y", "find-principals", "-s", signature_path, "-f", allowed_signers_path}, nothing);
  SignatureCheck check;
  const std::string& names = principals.output;
  if (!principals.succeeded || names.empty()) {
    check.reason = fmt::format("no allowed signer has made it: {}", one_line(names));
    return check;
  }
  const std::string signer = names.substr(0, names.find('\n'));
  const ProgramEnd verified = run({"ssh-keygen", "-Y", "verify", "-f", allowed_signers_path, "-I", signer, "-n",
                                   signature_namespace, "-s", signature_path},
                                  [&](int descriptor) { check.digest = feed_file(path, descriptor); });
  check.is_good = verified.succeeded;
  check.signer = one_line(signer, 200);
  if (!check.is_good) check.reason = one_line(verified.output);
  return check;
}

}  // namespace gpucheck::application
