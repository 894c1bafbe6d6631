#include "report/journal/merge_journals.hpp"

#include <algorithm>
#include <concepts>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "report/journal/journal.hpp"

namespace gpucheck::report {
namespace {

using fleet::FileProblem;
using RunOrProblem = std::variant<fleet::KeptRun, FileProblem>;

/// Files may be read this far ahead of the one that is judged: what one that takes long holds up stays small.
constexpr std::size_t furthest_ahead = 64;

std::vector<std::string> journals_in(const std::string& folder) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".journal" && entry.is_regular_file()) found.push_back(entry.path().string());
  }
  std::ranges::sort(found);
  return found;
}

RunOrProblem read_run(const std::string& path, const fleet::Waivers& waivers, fleet::SharedTexts& texts) {
  try {
    fleet::RunKeeper keeper(path, waivers, texts);
    const auto keep = [&keeper]<typename Kind>(Kind& event) {
      if constexpr (!std::same_as<Kind, harness::CaseStarted>) keeper.on(std::move(event));
    };
    const bool torn = read_events(path, [&keep](Event event) { std::visit(keep, event); });
    return keeper.take(torn);
  } catch (const Error& problem) {
    return FileProblem{path, problem.what()};
  }
}

/// Reads files on several threads and gives what they hold in their order.
class ReadAhead {
 public:
  ReadAhead(const std::vector<std::string>& files, const fleet::Waivers& waivers, fleet::SharedTexts& texts)
      : files_(files), waivers_(waivers), texts_(texts), outcomes_(files.size()) {
    const std::size_t processors = std::max(std::thread::hardware_concurrency(), 1U);
    for (std::size_t i = 0; i < std::min(processors, files.size()); ++i) {
      readers_.emplace_back([this](const std::stop_token& stop) { read(stop); });
    }
  }
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  ~ReadAhead() {
    for (std::jthread& reader : readers_) reader.request_stop();
    changed_.notify_all();
  }

  /// What the next file holds. @throws whatever its reader threw that says nothing about the file.
  RunOrProblem next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return outcomes_[taken_].has_value() || failure_ != nullptr; });
    if (failure_ != nullptr) std::rethrow_exception(failure_);
    RunOrProblem outcome = std::move(*outcomes_[taken_]);
    outcomes_[taken_++].reset();
    changed_.notify_all();
    return outcome;
  }

 private:
  void read(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return stop.stop_requested() || begun_ < taken_ + furthest_ahead; });
      if (stop.stop_requested() || begun_ == files_.size()) return;
      const std::size_t place = begun_++;
      lock.unlock();
      std::optional<RunOrProblem> outcome;
      std::exception_ptr failure;
      try {
        outcome = read_run(files_[place], waivers_, texts_);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      outcomes_[place] = std::move(outcome);
      if (failure != nullptr) failure_ = failure;
      changed_.notify_all();
    }
  }

  const std::vector<std::string>& files_;
  const fleet::Waivers& waivers_;
  fleet::SharedTexts& texts_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::optional<RunOrProblem>> outcomes_;  // guarded by mutex_, as all below
  std::size_t begun_ = 0;
  std::size_t taken_ = 0;
  std::exception_ptr failure_;
  std::vector<std::jthread> readers_;
};

}  // namespace

FoundJournals find_journals(const std::vector<std::string>& paths) {
  FoundJournals found;
  for (const std::string& path : paths) {
    std::error_code no_folder;
    if (!std::filesystem::is_directory(path, no_folder)) {
      found.files.push_back(path);
      continue;
    }
    try {
      for (std::string& file : journals_in(path)) found.files.push_back(std::move(file));
    } catch (const std::filesystem::filesystem_error& problem) {
      found.problems.push_back({path, fmt::format("the folder cannot be read: {}", problem.code().message())});
    }
  }
  return found;
}

fleet::Fleet merge_journals(const std::vector<std::string>& paths, const std::vector<std::string>& again,
                            const fleet::FleetRules& rules) {
  const auto texts = std::make_shared<fleet::SharedTexts>();
  fleet::FleetJudge judge(texts);
  const auto read_all = [&](const std::vector<std::string>& some, const auto& take) {
    FoundJournals found = find_journals(some);
    for (FileProblem& problem : found.problems) judge.add(std::move(problem));
    ReadAhead ahead(found.files, rules.waivers, *texts);
    for (std::size_t i = 0; i < found.files.size(); ++i) {
      RunOrProblem outcome = ahead.next();
      if (auto* const problem = std::get_if<FileProblem>(&outcome)) {
        judge.add(std::move(*problem));
      } else {
        take(std::get<fleet::KeptRun>(std::move(outcome)));
      }
    }
  };
  read_all(paths, [&judge](fleet::KeptRun run) { judge.add(std::move(run)); });
  read_all(again, [&judge](fleet::KeptRun run) { judge.add_again(std::move(run)); });
  return judge.judge(rules);
}

}  // namespace gpucheck::report
