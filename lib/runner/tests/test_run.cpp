#include "test_run.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <signal.h>
#include <stdexcept>
#include <thread>
#include <unistd.h>
#include <utility>

#include "runner/tests/misbehaving/misbehaving_cases.hpp"

namespace gpucheck::runner::testing {
namespace {

namespace files = std::filesystem;
using std::chrono::milliseconds;

std::string read_file(const files::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool wait_until(const std::function<bool()>& condition, milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(milliseconds(5));
  }
  return true;
}

}  // namespace

TestFolder::TestFolder() {
  std::string name = (files::temp_directory_path() / "gpucheck_runner_XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a folder in the temporary one");
  path_ = name;
  ::setenv(folder_variable, path_.c_str(), 1);
}

TestFolder::~TestFolder() {
  for (const pid_t process : processes()) ::kill(process, SIGKILL);
  ::unsetenv(folder_variable);
  std::error_code ignored;
  files::remove_all(path_, ignored);
}

std::size_t TestFolder::marks(const std::string& name) const {
  const std::string text = read_file(files::path(path_) / name);
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

bool TestFolder::wait_for_mark(const std::string& name) const {
  return wait_until([&] { return marks(name) > 0; }, milliseconds(60'000));
}

std::vector<pid_t> TestFolder::processes() const {
  std::vector<pid_t> found;
  std::error_code ignored;
  for (const auto& entry : files::directory_iterator("/proc", ignored)) {
    const int process = std::atoi(entry.path().filename().c_str());
    if (process <= 0 || process == ::getpid()) continue;
    if (read_file(entry.path() / "environ").find(path_) != std::string::npos) found.push_back(process);
  }
  return found;
}

bool TestFolder::no_process_left() const {
  return wait_until([&] { return processes().empty(); }, milliseconds(10'000));
}

void RecordingSink::on(const harness::RunStarted& event) {
  started = event;
  lines.push_back("started");
  if (on_every_event) on_every_event();
}

void RecordingSink::on(const harness::CaseStarted& event) {
  lines.push_back("case " + event.name);
  if (on_every_event) on_every_event();
}

void RecordingSink::on(const harness::CaseFinished& event) {
  lines.push_back(std::string(harness::to_text(event.result.outcome)) + " " + event.result.name);
  totals.push_back(event.total);
  if (on_every_event) on_every_event();
}

void RecordingSink::on(const harness::RunFinished& event) {
  finished = event;
  lines.push_back("finished");
  if (on_every_event) on_every_event();
}

TestRun::TestRun() : registry(misbehaving_registry()), goldens(misbehaving_goldens()) {
  options.program = GPUCHECK_MISBEHAVING;
  options.settings.device = "sim";
  options.jobs = 2;
}

Plan TestRun::plan(const std::vector<std::string>& names, std::vector<harness::CaseResult> ready) const {
  std::vector<const harness::Case*> selected;
  for (const std::string& name : names) selected.push_back(&registry.require(name));
  return make_plan(selected, plan_options, std::move(ready));
}

const RunSummary& TestRun::run(const std::vector<std::string>& names) { return run_plan(plan(names)); }

const RunSummary& TestRun::run_plan(const Plan& plan) {
  harness::EventSink* const sinks[] = {&sink};
  const auto start = std::chrono::steady_clock::now();
  summary = runner::run(plan, goldens, options, sinks);
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return summary;
}

const harness::CaseResult& TestRun::result(const std::string& name) const {
  for (const harness::CaseResult& result : summary.results) {
    if (result.name == name) return result;
  }
  throw std::runtime_error("no result for " + name);
}

std::vector<std::string> TestRun::outcomes() const {
  std::vector<std::string> texts;
  for (const harness::CaseResult& result : summary.results) {
    texts.push_back(std::string(harness::to_text(result.outcome)) + " " + result.name);
  }
  return texts;
}

std::vector<std::string> TestRun::not_run() const {
  std::vector<std::string> names;
  for (const harness::SelectedCase& left : sink.finished.not_run) names.push_back(left.name);
  return names;
}

std::string observed(const harness::CaseResult& result, const std::string& key) {
  for (const harness::Observation& observation : result.observations) {
    if (observation.key == key) return harness::to_text(observation.value);
  }
  return "nothing";
}

}  // namespace gpucheck::runner::testing
