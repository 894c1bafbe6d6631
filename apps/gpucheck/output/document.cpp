#include "output/document.hpp"

#include <nlohmann/json.hpp>

namespace gpucheck::application {

std::string document_text(const nlohmann::ordered_json& document) {
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace gpucheck::application
