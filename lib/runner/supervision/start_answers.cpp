#include "runner/supervision/start_answers.hpp"

#include <fmt/format.h>
#include <string_view>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "harness/result/outcome_text.hpp"

namespace gpucheck::runner {
namespace {

std::string last_part(const std::string& text) {
  constexpr std::size_t max_bytes = 2000;
  return text.size() > max_bytes ? text.substr(text.size() - max_bytes) : text;
}

/// How the process ended, and by which limit where that is known.
std::string end_text(const RequestEnd& end) {
  const std::string text = harness::process_end_text(end.process.exit_code, end.process.signal);
  return end.environment ? fmt::format("{}: {}", text, end.environment->text) : text;
}

std::string no_use(const Options& options) {
  return fmt::format("cannot use the device \"{}\": ", options.settings.device);
}

/// A driver that hangs, or that takes the process along: the run goes on, and reports a device that cannot be used.
/// Its name needs no look at the machine.
/// @throws EnvironmentError for other devices than CUDA's, where the mistake is gpucheck's own.
IdentityReply without_answer(const Options& options, const std::string& why) {
  const std::string& device = options.settings.device;
  if (device != "auto" && !device.starts_with("cuda")) throw EnvironmentError(no_use(options) + why);
  harness::DeviceIdentity identity;
  identity.kind = "cuda";
  identity.problem = fmt::format("CUDA does not start: {}", why);
  return {.devices = {std::move(identity)}, .groups = {{.devices = {0}, .name = "cuda:0"}}};
}

}  // namespace

IdentityReply identity_from(RequestEnd end, const Options& options, std::chrono::milliseconds limit) {
  switch (end.kind) {
    case RequestEnd::Kind::replied:
      if (auto* identity = std::get_if<IdentityReply>(&*end.reply)) return std::move(*identity);
      if (auto* error = std::get_if<ErrorReply>(&*end.reply)) {
        if (error->usage) throw UsageError(error->text);
        throw EnvironmentError(no_use(options) + error->text);
      }
      break;
    case RequestEnd::Kind::deadline:
      return without_answer(options, fmt::format("no answer within {} s: the driver hangs; look at the kernel's log, "
                                                 "and restart the machine",
                                                 static_cast<double>(limit.count()) / 1000));
    case RequestEnd::Kind::broken_channel:
      throw EnvironmentError(no_use(options) + "the worker that was to ask it " + end.reason);
    case RequestEnd::Kind::died:
      if (end.process.exit_code == 0) break;  // no driver's doing: the program is another
      return without_answer(options,
                            fmt::format("the worker that asked it ended without an answer ({}). Its last words: {}",
                                        end_text(end), last_part(end.error_tail)));
    case RequestEnd::Kind::closed_channel:
      break;
  }
  throw EnvironmentError(no_use(options) + "the worker that asked it ended without an answer. Its last words: " +
                         last_part(end.error_tail));
}

std::string why_not_prepared(const RequestEnd& end, std::chrono::milliseconds limit) {
  switch (end.kind) {
    case RequestEnd::Kind::replied:
      if (const auto* error = std::get_if<ErrorReply>(&*end.reply)) return error->text;
      return "its worker gave an answer to something else";
    case RequestEnd::Kind::deadline:
      return fmt::format("its worker was not ready within {} s", static_cast<double>(limit.count()) / 1000);
    case RequestEnd::Kind::died:
      return fmt::format("its worker ended before it was ready ({})", end_text(end));
    case RequestEnd::Kind::broken_channel:
      return "its worker " + end.reason;
    case RequestEnd::Kind::closed_channel:
      break;
  }
  return "its worker could no longer be reached";
}

}  // namespace gpucheck::runner
