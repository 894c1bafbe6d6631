#include <nlohmann/json.hpp>

#include "config/config_keys.hpp"
#include "report/formats/formats.hpp"

namespace gpucheck::application {

namespace {

using Json = nlohmann::ordered_json;
using Type = ConfigKey::Type;

Json text_json() { return {{"type", "string"}, {"minLength", 1}}; }

Json outputs_json() {
  Json properties = Json::object();
  for (const report::Format& format : report::formats()) properties[std::string(format.name)] = text_json();
  return {{"type", "object"}, {"additionalProperties", false}, {"properties", std::move(properties)}};
}

Json value_json(const ConfigKey& key) {
  switch (key.type) {
    case Type::whole_number:
      return {{"type", "integer"}, {"minimum", key.minimum}, {"maximum", key.maximum}};
    case Type::truth:
      return {{"type", "boolean"}};
    case Type::texts:
    case Type::paths:
      return {{"type", "array"}, {"items", text_json()}};
    case Type::parameters:
      return {{"type", "object"}, {"additionalProperties", {{"type", {"string", "number", "boolean"}}}}};
    case Type::outputs:
      return outputs_json();
    default:
      if (key.choices.empty()) return text_json();
      return {{"enum", key.choices}};
  }
}

Json settings_json() {
  Json properties = Json::object();
  for (const ConfigKey& key : config_keys()) {
    Json value{{"description", key.summary}};
    value.update(value_json(key));
    properties[std::string(key.name)] = std::move(value);
  }
  return properties;
}

}  // namespace

std::string config_schema() {
  Json properties{{"schema", {{"const", "gpucheck.config/1"}}}};
  properties.update(settings_json());
  properties["profile"] = {{"description", "settings that --profile NAME puts before those above"},
                           {"type", "object"},
                           {"additionalProperties", {{"$ref", "#/definitions/settings"}}}};
  const Json schema{
      {"$schema", "http://json-schema.org/draft-07/schema#"},
      {"title", "gpucheck.config/1: gpucheck.toml, the configuration of gpucheck run, as the JSON that it stands for"},
      {"type", "object"},
      {"additionalProperties", false},
      {"properties", std::move(properties)},
      {"definitions",
       {{"settings", {{"type", "object"}, {"additionalProperties", false}, {"properties", settings_json()}}}}}};
  return schema.dump(2) + "\n";
}

}  // namespace gpucheck::application
