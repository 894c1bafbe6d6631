#include "schema.hpp"

#include <fmt/format.h>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

namespace gpucheck::report {
namespace {

using nlohmann::json;
using valijson::adapters::NlohmannJsonAdapter;

std::unique_ptr<json> read_schema(const std::string& file) {
  std::ifstream stream(std::string(GPUCHECK_SCHEMA_FOLDER) + "/" + file);
  return stream ? std::make_unique<json>(json::parse(stream)) : nullptr;
}

/// Null when there is no such schema. Each is read once.
const valijson::Schema* schema_named(const std::string& name) {
  static std::map<std::string, std::unique_ptr<valijson::Schema>> schemas;
  const auto [found, is_new] = schemas.try_emplace(name);
  if (!is_new) return found->second.get();
  const std::unique_ptr<json> document = read_schema(name + ".schema.json");
  if (!document) return nullptr;
  found->second = std::make_unique<valijson::Schema>();
  const auto fetch = [](const std::string& file) -> const json* { return read_schema(file).release(); };
  const auto release = [](const json* fetched) { delete fetched; };
  valijson::SchemaParser parser;
  parser.populateSchema<NlohmannJsonAdapter>(NlohmannJsonAdapter(*document), *found->second, fetch, release);
  return found->second.get();
}

std::string complaints(const json& document, const std::string& name) {
  const valijson::Schema* const schema = schema_named(name);
  if (schema == nullptr) return fmt::format("there is no schema \"{}\"\n", name);
  valijson::Validator validator;
  valijson::ValidationResults results;
  if (validator.validate(*schema, NlohmannJsonAdapter(document), &results)) return {};
  std::string text;
  for (const valijson::ValidationResults::Error& error : results) {
    for (const std::string& step : error.context) text += step;
    text += ": " + error.description + "\n";
  }
  return text.empty() ? "invalid\n" : text;
}

}  // namespace

std::string json_schema_complaints(std::string_view document, const std::string& name) {
  const json parsed = json::parse(document, nullptr, false);
  return parsed.is_discarded() ? "it is no JSON\n" : complaints(parsed, name);
}

std::string json_schema_complaints(std::string_view document) {
  const json parsed = json::parse(document, nullptr, false);
  if (!parsed.is_object() || !parsed.contains("schema") || !parsed["schema"].is_string()) return "it names no schema\n";
  const std::string schema = parsed["schema"];
  const std::string start = "gpucheck.";
  const std::size_t slash = schema.find('/');
  if (!schema.starts_with(start) || slash == std::string::npos) return fmt::format("\"{}\" is no schema\n", schema);
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
