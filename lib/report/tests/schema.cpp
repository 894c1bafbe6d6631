#include "schema.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "json_schema.hpp"

namespace gpucheck::report {
namespace {

using nlohmann::json;
using testing_support::JsonSchema;

/// Null when there is no such schema. Each is read once.
const JsonSchema* schema_named(const std::string& name) {
  static std::map<std::string, std::unique_ptr<JsonSchema>> schemas;
  const auto [found, is_new] = schemas.try_emplace(name);
  const std::filesystem::path file = fmt::format("{}/{}.schema.json", GPUCHECK_SCHEMA_FOLDER, name);
  if (is_new && std::filesystem::exists(file)) found->second = std::make_unique<JsonSchema>(file);
  return found->second.get();
}

std::string complaints(const json& document, const std::string& name) {
  const JsonSchema* const schema = schema_named(name);
  return schema == nullptr ? fmt::format("there is no schema \"{}\"\n", name) : schema->complaints(document);
}

}  // namespace

std::string json_schema_complaints(std::string_view document, const std::string& name) {
  const json parsed = json::parse(document, nullptr, false);
  return parsed.is_discarded() ? "it is not JSON\n" : complaints(parsed, name);
}

std::string json_schema_complaints(std::string_view document) {
  const json parsed = json::parse(document, nullptr, false);
  if (!parsed.is_object() || !parsed.contains("schema") || !parsed["schema"].is_string()) return "it names no schema\n";
  const std::string schema = parsed["schema"];
  const std::string start = "gpucheck.";
  const std::size_t slash = schema.find('/');
  if (!schema.starts_with(start) || slash == std::string::npos) return fmt::format("\"{}\" is not a schema\n", schema);
  return complaints(parsed, schema.substr(start.size(), slash - start.size()));
}

std::string journal_schema_complaints(std::string_view journal) {
  std::string text;
  for (std::size_t at = 0, line = 1; at < journal.size(); ++line) {
    const std::size_t end = std::min(journal.find('\n', at), journal.size());
    const std::string problem = json_schema_complaints(journal.substr(at, end - at), "journal");
    if (!problem.empty()) text += fmt::format("line {}: {}", line, problem);
    at = end + 1;
  }
  return text;
}

}  // namespace gpucheck::report
