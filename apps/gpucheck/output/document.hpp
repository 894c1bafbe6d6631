#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gpucheck::application {

/// A JSON document as commands print it: indented, with a newline at its end. Texts from files, drivers and loaders may
/// hold anything: what is not UTF-8 is replaced.
std::string document_text(const nlohmann::ordered_json& document);

}  // namespace gpucheck::application
