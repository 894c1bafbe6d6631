#include "harness/case/execute.hpp"

#include <boost/core/demangle.hpp>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <typeinfo>
#include <utility>

#include "base/error.hpp"
#include "base/host_refusal.hpp"
#include "harness/case/needs.hpp"

namespace gpucheck::harness {
namespace {

using Clock = std::chrono::steady_clock;

/// The text of the exception being handled; for one that is not gpucheck's own, whose
/// text may say little, its type too.
std::string exception_text() {
  try {
    throw;
  } catch (const Error& error) {
    return error.what();
  } catch (const std::exception& error) {
    return fmt::format("{}: {}", boost::core::demangle(typeid(error).name()), error.what());
  } catch (...) {
    return "something was thrown that is not a std::exception";
  }
}

Execution::Status status_of(ProgramEnded::Meaning meaning) {
  switch (meaning) {
    case ProgramEnded::Meaning::skip:
      return Execution::Status::skipped;
    case ProgramEnded::Meaning::crash:
      return Execution::Status::crashed;
    default:
      return Execution::Status::error;
  }
}

void run_function(Context& context, Execution& execution) {
  try {
    context.test_case().run(context);
    execution.status = Execution::Status::completed;
  } catch (const Skip& skip) {
    execution.status = Execution::Status::skipped;
    execution.reason = skip.what();
  } catch (const ProgramEnded& ended) {
    execution.status = status_of(ended.meaning());
    execution.reason = ended.what();
    execution.program = ended.end();
  } catch (const runtime::UnsupportedError& error) {  // the chosen allocator cannot do it
    execution.status = Execution::Status::skipped;
    execution.reason = error.what();
  } catch (const NotInstalled& missing) {
    execution.status = Execution::Status::skipped;
    execution.reason = missing.what();
  } catch (...) {
    execution.status = Execution::Status::error;
    execution.reason = exception_text();
  }
}

/// A case that did not complete is not judged by the rules, but the process is, and the GPU.
void apply_rules(Context& context, Execution& execution) {
  std::vector<Mismatch> broken = context.close();
  execution.contaminated = !broken.empty();
  execution.telemetry = context.gpu_telemetry();
  if (execution.status != Execution::Status::completed) {
    std::erase_if(broken, [](const Mismatch& rule) { return rule.key != fmt::format("rule.{}", hardware_rule); });
  }
  execution.broken_rules = std::move(broken);
}

/// A limit of the machine is never an observation, whatever the case has made of the error.
void apply_host_refusal(Execution& execution) {
  std::string refusal = take_host_refusal();
  if (refusal.empty() || execution.status == Execution::Status::error) return;
  execution.status = Execution::Status::error;
  execution.reason = std::move(refusal);
  execution.contaminated = true;
  std::erase_if(execution.broken_rules,
                [](const Mismatch& rule) { return rule.key != fmt::format("rule.{}", hardware_rule); });
}

void execute_in(Context& context, Execution& execution) {
  if (std::optional<std::string> reason = unmet_need(context)) {
    execution.status = Execution::Status::skipped;
    execution.reason = std::move(*reason);
    return;
  }
  context.begin_watch();
  const Clock::time_point start = Clock::now();
  run_function(context, execution);
  apply_rules(context, execution);
  execution.duration_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace

Execution execute(Context::Setup setup) {
  Execution execution;
  static_cast<void>(take_host_refusal());  // of what ran before in this process
  try {
    Context context(std::move(setup));
    execute_in(context, execution);
  } catch (...) {  // before the case ran, or while the rules were checked
    execution.status = Execution::Status::error;
    execution.reason = exception_text();
    execution.broken_rules.clear();
    execution.contaminated = true;
  }
  apply_host_refusal(execution);
  return execution;
}

int execute_child(Context::Setup setup, const Child& child) {
  const Case* test_case = setup.test_case;
  try {
    Context context(std::move(setup));
    return child.run(context);
  } catch (...) {
    fmt::print(stderr, "child \"{}\" of case {}: {}\n", child.name, test_case->name, exception_text());
    return 1;
  }
}

}  // namespace gpucheck::harness
