#pragma once

#include <string>
#include <string_view>

namespace gpucheck::report {

/// What is wrong with a JSON document by the schema that it names ("gpucheck.result/1":
/// schemas/result.schema.json); empty when nothing is. A document that names none, or one
/// for which there is no file, is wrong.
std::string json_schema_complaints(std::string_view document);

/// The same for a document of this schema, whatever it says itself.
/// @param name without folder and ending: "waivers".
std::string json_schema_complaints(std::string_view document, const std::string& name);

/// The same for each line of a journal.
std::string journal_schema_complaints(std::string_view journal);

}  // namespace gpucheck::report
