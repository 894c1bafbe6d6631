#include <chrono>
#include <fmt/format.h>
#include <utility>

#include "base/error.hpp"
#include "report/journal/event_json.hpp"
#include "report/journal/journal_file.hpp"
#include "report/sinks.hpp"

namespace gpucheck::report {
namespace {

/// Writes each event the moment it happens. What does not fit on a full disk is kept, in
/// order, and written as soon as there is room.
class JournalSink final : public harness::EventSink {
 public:
  JournalSink(const std::string& path, std::function<void(const std::string&)> complain)
      : file_(path), complain_(std::move(complain)) {
    file_.restart();
  }

  void on(const harness::RunStarted& event) override {
    write(event);
    synchronize();
  }
  void on(const harness::CaseStarted& event) override { write(event); }
  void on(const harness::CaseFinished& event) override {
    write(event);
    synchronize();
  }
  void on(const harness::RunFinished& event) override {
    pending_ += line_now(event);
    file_.append(pending_);
    file_.synchronize();
  }

 private:
  static std::string line_now(const Event& event) {
    return line_of({.time = std::chrono::system_clock::now(), .event = event}) + "\n";
  }

  void write(const Event& event) {
    pending_ += line_now(event);
    attempt([this] {
      file_.append(pending_);
      pending_.clear();
    });
  }

  void synchronize() {
    attempt([this] { file_.synchronize(); });
  }

  template <typename Step>
  void attempt(const Step& step) {
    try {
      step();
    } catch (const EnvironmentError& problem) {
      if (std::exchange(complained_, true)) return;
      complain_(fmt::format("{}; what it lacks is kept in memory and written as soon as that works", problem.what()));
    }
  }

  JournalFile file_;
  std::function<void(const std::string&)> complain_;
  std::string pending_;  ///< lines that are not in the file
  bool complained_ = false;
};

}  // namespace

std::unique_ptr<harness::EventSink> make_journal(const std::string& path,
                                                 std::function<void(const std::string&)> complain) {
  return std::make_unique<JournalSink>(path, std::move(complain));
}

}  // namespace gpucheck::report
