#include "harness/json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/output_file.hpp"
#include "report/result_order.hpp"
#include "report/sanitize.hpp"
#include "report/sinks.hpp"
#include "report/wording.hpp"

namespace gpucheck::report {
namespace {

using harness::CaseResult;
using Json = nlohmann::ordered_json;

constexpr std::size_t output_head_bytes = 16 * 1024;
constexpr std::size_t output_tail_bytes = 48 * 1024;

/// Whole microseconds: what is beyond them is noise. JSON has no number for what is not
/// finite; that becomes a text.
Json milliseconds(double value) {
  return harness::to_json(harness::Value(std::isfinite(value) ? std::round(value * 1000) / 1000 : value));
}

template <typename T>
Json array_of(const std::vector<T>& elements) {
  Json array = Json::array();
  for (const T& element : elements) array.push_back(harness::to_json(element));
  return array;
}

Json attempts_of(const CaseResult& result) {
  Json attempts = array_of(result.earlier_attempts);
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    attempts[i]["duration_ms"] = milliseconds(result.earlier_attempts[i].duration_ms);
  }
  return attempts;
}

std::string shown_output(std::string_view raw) {
  return clean_text(cut_middle(raw, output_head_bytes, output_tail_bytes));
}

Json case_of(const CaseResult& result) {
  Json object = {{"name", result.name},
                 {"outcome", harness::to_text(result.outcome)},
                 {"flaky", result.flaky},
                 {"reason", result.reason},
                 {"duration_ms", milliseconds(result.duration_ms)},
                 {"seed", result.seed},
                 {"repetition", result.repetition},
                 {"parameters", harness::to_json(result.parameters)}};
  if (!result.fault.empty()) object["fault"] = result.fault;
  object["observations"] = harness::to_json(result.observations);
  object["mismatches"] = array_of(result.mismatches);
  if (result.exit_code) object["exit_code"] = *result.exit_code;
  if (result.signal) object["signal"] = *result.signal;
  if (result.outcome != harness::Outcome::pass) {
    object["output_tail"] = shown_output(result.output_tail);
    object["error_tail"] = shown_output(result.error_tail);
  }
  object["attempts"] = attempts_of(result);
  object["rerun_command"] = result.rerun_command;
  return object;
}

class JsonReport final : public harness::EventSink {
 public:
  explicit JsonReport(const std::string& path) : file_(path, "report") {}

  void on(const harness::RunStarted& event) override { start_ = event; }
  void on(const harness::CaseStarted&) override {}
  void on(const harness::CaseFinished& event) override { results_.push_back(event.result); }
  void on(const harness::RunFinished& event) override {
    sort_as_selected(results_, start_.selected);
    Json document = head();
    document["counts"] = harness::to_json(event.counts);
    document["duration_ms"] = milliseconds(event.duration_ms);
    document["interrupted_by_signal"] = event.interrupted_by_signal == 0 ? Json() : Json(event.interrupted_by_signal);
    document["exit_code"] = event.exit_code;
    document["cases"] = Json::array();
    for (const CaseResult& result : results_) document["cases"].push_back(case_of(result));
    document["not_run"] = event.not_run;
    file_.commit(document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  }

 private:
  [[nodiscard]] Json head() const {
    return {{"schema", "gpucheck.result/1"},
            {"version", start_.version},
            {"command_line", start_.command_line},
            {"start_time", utc_milliseconds(start_.start_time)},
            {"host_name", start_.host_name},
            {"seed", start_.seed},
            {"allocator", start_.allocator},
            {"jobs", start_.jobs},
            {"device", harness::to_json(start_.device)}};
  }

  OutputFile file_;
  harness::RunStarted start_;
  std::vector<CaseResult> results_;
};

}  // namespace

std::unique_ptr<harness::EventSink> make_json(const std::string& path) { return std::make_unique<JsonReport>(path); }

}  // namespace gpucheck::report
