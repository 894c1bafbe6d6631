#include "json_schema.hpp"

#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

namespace gpucheck::testing_support {

using nlohmann::json;
using valijson::adapters::NlohmannJsonAdapter;

json read_json(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error(fmt::format("cannot read {}", file.string()));
  json document = json::parse(stream, nullptr, false);
  if (document.is_discarded()) throw std::runtime_error(fmt::format("{} is not JSON", file.string()));
  return document;
}

JsonSchema::JsonSchema(const std::filesystem::path& file) : schema_(std::make_unique<valijson::Schema>()) {
  const json document = read_json(file);
  const auto fetch = [&file](const std::string& other) -> const json* {
    return std::make_unique<json>(read_json(file.parent_path() / other)).release();
  };
  const auto release = [](const json* fetched) { delete fetched; };
  valijson::SchemaParser parser;
  parser.populateSchema<NlohmannJsonAdapter>(NlohmannJsonAdapter(document), *schema_, fetch, release);
}

JsonSchema::~JsonSchema() = default;

std::string JsonSchema::complaints(const json& document) const {
  valijson::Validator validator;
  valijson::ValidationResults results;
  if (validator.validate(*schema_, NlohmannJsonAdapter(document), &results)) return {};
  std::string text;
  for (const valijson::ValidationResults::Error& error : results) {
    for (const std::string& step : error.context) text += step;
    text += ": " + error.description + "\n";
  }
  return text.empty() ? "invalid\n" : text;
}

}  // namespace gpucheck::testing_support
