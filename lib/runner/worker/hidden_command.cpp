#include <array>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <signal.h>

#include "base/error.hpp"
#include "runner/worker/worker.hpp"

namespace gpucheck::runner {
namespace {

using Arguments = std::map<std::string, std::string, std::less<>>;

Arguments named_arguments(std::span<const char* const> words) {
  Arguments arguments;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) arguments[words[i]] = words[i + 1];
  return arguments;
}

const std::string& required(const Arguments& arguments, std::string_view name) {
  const auto found = arguments.find(name);
  if (found != arguments.end()) return found->second;
  throw UsageError(fmt::format("{} is missing: this command is for gpucheck's own use", name));
}

template <typename Number>
Number number(const Arguments& arguments, std::string_view name) {
  const std::string& text = required(arguments, name);
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  throw UsageError(fmt::format("{} takes a number, not \"{}\": this command is for gpucheck's own use", name, text));
}

ChildRequest child_request(const Arguments& arguments) {
  try {
    return decode_child_request(required(arguments, "--request"));
  } catch (const ProtocolError& error) {
    throw UsageError(fmt::format("{}: this command is for gpucheck's own use", error.what()));
  }
}

/// Orders to end are for the supervisor, which ends this process. An engine sends them to every process of a job at
/// once (Slurm does, when it cancels a job or queues it again): a case that died of one would count as crashed.
/// Handled, not ignored, so that programs that a case starts do not inherit it.
void leave_orders_to_supervisor() {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  action.sa_flags = SA_RESTART;
  for (const int number : std::array{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2}) {
    ::sigaction(number, &action, nullptr);
  }
}

}  // namespace

std::optional<int> hidden_command(std::span<const char* const> arguments, const harness::Registry& registry,
                                  DriverFactory make_driver) {
  if (arguments.empty()) return std::nullopt;
  const std::string_view command = arguments.front();
  if (command == "worker") {
    leave_orders_to_supervisor();
    return worker_main(number<int>(named_arguments(arguments.subspan(1)), "--descriptor"), registry, make_driver);
  }
  if (command == "child") {
    leave_orders_to_supervisor();
    return child_main(child_request(named_arguments(arguments.subspan(1))), registry, make_driver);
  }
  return std::nullopt;
}

}  // namespace gpucheck::runner
