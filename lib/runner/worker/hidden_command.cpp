#include <charconv>
#include <fmt/format.h>
#include <map>

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

}  // namespace

std::optional<int> hidden_command(std::span<const char* const> arguments, const harness::Registry& registry,
                                  DriverFactory make_driver) {
  if (arguments.empty()) return std::nullopt;
  const std::string_view command = arguments.front();
  if (command == "worker") {
    return worker_main(number<int>(named_arguments(arguments.subspan(1)), "--descriptor"), registry, make_driver);
  }
  if (command == "child") {
    return child_main(child_request(named_arguments(arguments.subspan(1))), registry, make_driver);
  }
  return std::nullopt;
}

}  // namespace gpucheck::runner
