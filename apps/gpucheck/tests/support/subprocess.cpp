#include "tests/support/subprocess.hpp"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

#include "schema.hpp"

namespace gpucheck::application {

namespace {

void redirect(const std::string& path, int descriptor) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::dup2(file, descriptor);
}

[[noreturn]] void become(const std::string& program, const std::vector<std::string>& arguments,
                         const std::vector<std::string>& environment) {
  for (const std::string& entry : environment) {
    const std::size_t equals = entry.find('=');
    ::setenv(entry.substr(0, equals).c_str(), entry.substr(equals + 1).c_str(), 1);
  }
  // Whoever runs the tests in the background may have them ignored.
  for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGPIPE}) ::signal(number, SIG_DFL);
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execv(program.c_str(), pointers.data());
  ::_exit(127);
}

/// Every document that a test makes or reads is held to its schema.
void check_schema(const std::string& text) {
  if (text.starts_with("{\"schema\":\"gpucheck.journal/1\"")) {
    const std::string whole_lines = text.substr(0, text.rfind('\n') + 1);
    EXPECT_EQ(report::journal_schema_complaints(whole_lines), "") << whole_lines;
  }
  for (const std::string schema : {"result", "fleet", "list", "case", "info", "proof", "config_show"}) {
    if (!text.starts_with("{\n  \"schema\": \"gpucheck." + schema + "/")) continue;
    EXPECT_EQ(report::json_schema_complaints(text), "") << text;
  }
}

}  // namespace

CommandResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                          const std::vector<std::string>& environment) {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    redirect(folder / "stdout", STDOUT_FILENO);
    redirect(folder / "stderr", STDERR_FILENO);
    become(program, arguments, environment);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(folder / "stdout"), read_file(folder / "stderr")};
}

CommandResult fixture(const std::vector<std::string>& arguments, const std::vector<std::string>& environment) {
  return run_program(GPUCHECK_FIXTURE_PROGRAM, arguments, environment);
}

CommandResult gpucheck(const std::vector<std::string>& arguments, const std::vector<std::string>& environment) {
  return run_program(GPUCHECK_PROGRAM, arguments, environment);
}

CommandResult shell(const std::string& script) {
  return run_program("/bin/bash", {"-c", script, GPUCHECK_FIXTURE_PROGRAM});
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "gpucheck-test-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder can be made");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  check_schema(text);
  return text;
}

void write_file(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace gpucheck::application
