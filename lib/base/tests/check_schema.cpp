// Checks JSON documents against a JSON Schema (draft 7).
//
// Usage: gpucheck_check_schema SCHEMA DOCUMENT... [--rejected DOCUMENT...]
//
// Those behind --rejected must not fit, so that a schema that lets everything pass is
// noticed. Exit code: 0 all as they must be; 1 some are not; 2 wrong usage, or not JSON.

#include <exception>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>

#include "json_schema.hpp"

namespace {

using gpucheck::testing_support::JsonSchema;
using gpucheck::testing_support::read_json;

int check(const char* schema_file, char** documents) {
  const JsonSchema schema(schema_file);
  bool rejected = false;
  int status = 0;
  for (; *documents != nullptr; ++documents) {
    if (std::string_view(*documents) == "--rejected") {
      rejected = true;
      continue;
    }
    const std::string complaints = schema.complaints(read_json(*documents));
    if (complaints.empty() != rejected) continue;
    fmt::print("{}: {}\n", *documents, rejected ? fmt::format("fits {}, and must not", schema_file) : complaints);
    status = 1;
  }
  return status;
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count < 3) {
    fmt::print(stderr, "usage: {} SCHEMA DOCUMENT... [--rejected DOCUMENT...]\n", arguments[0]);
    return 2;
  }
  try {
    return check(arguments[1], arguments + 2);
  } catch (const std::exception& error) {
    fmt::print(stderr, "check_schema: {}\n", error.what());
    return 2;
  }
}
