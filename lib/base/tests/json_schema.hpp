#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace valijson {
class Schema;
}

namespace gpucheck::testing_support {

/// A JSON Schema (draft 7) file, for tests. References to other files are to those beside it.
class JsonSchema {
 public:
  /// @throws std::exception for a file that cannot be read or is not a schema.
  explicit JsonSchema(const std::filesystem::path& file);
  ~JsonSchema();
  JsonSchema(const JsonSchema&) = delete;
  JsonSchema& operator=(const JsonSchema&) = delete;

  /// What is wrong with the document, a line for each complaint; empty when nothing is.
  [[nodiscard]] std::string complaints(const nlohmann::json& document) const;

 private:
  std::unique_ptr<valijson::Schema> schema_;
};

/// @throws std::runtime_error for a file that cannot be read or is not JSON.
nlohmann::json read_json(const std::filesystem::path& file);

}  // namespace gpucheck::testing_support
