#include "runner/start_answers.hpp"

#include <fmt/format.h>
#include <string_view>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "harness/outcome_text.hpp"

namespace gpucheck::runner {
namespace {

std::string last_part(const std::string& text) {
  constexpr std::size_t max_bytes = 2000;
  return text.size() > max_bytes ? text.substr(text.size() - max_bytes) : text;
}

}  // namespace

IdentityReply identity_from(RequestEnd end, const Options& options) {
  const std::string where = fmt::format("cannot use the device \"{}\": ", options.settings.device);
  switch (end.kind) {
    case RequestEnd::Kind::replied:
      if (auto* identity = std::get_if<IdentityReply>(&*end.reply)) return std::move(*identity);
      if (auto* error = std::get_if<ErrorReply>(&*end.reply)) {
        if (error->usage) throw UsageError(error->text);
        throw EnvironmentError(where + error->text);
      }
      break;
    case RequestEnd::Kind::deadline:
      throw EnvironmentError(where + fmt::format("no answer within {} s", options.start_limit.count() / 1000));
    case RequestEnd::Kind::broken_channel:
      throw EnvironmentError(where + "the worker that was to ask it " + end.reason);
    case RequestEnd::Kind::closed_channel:
    case RequestEnd::Kind::died:
      break;
  }
  throw EnvironmentError(
      where + "the worker that asked it ended without an answer. Its last words: " + last_part(end.error_tail));
}

std::string why_not_prepared(const RequestEnd& end, std::chrono::milliseconds limit) {
  switch (end.kind) {
    case RequestEnd::Kind::replied:
      if (const auto* error = std::get_if<ErrorReply>(&*end.reply)) return error->text;
      return "its worker gave an answer to something else";
    case RequestEnd::Kind::deadline:
      return fmt::format("its worker was not ready within {} s", static_cast<double>(limit.count()) / 1000);
    case RequestEnd::Kind::died:
      return fmt::format("its worker ended before it was ready ({})",
                         harness::process_end_text(end.process.exit_code, end.process.signal));
    case RequestEnd::Kind::broken_channel:
      return "its worker " + end.reason;
    case RequestEnd::Kind::closed_channel:
      break;
  }
  return "its worker could no longer be reached";
}

}  // namespace gpucheck::runner
