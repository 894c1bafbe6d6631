#include "observe/utf8.hpp"

#include <nlohmann/json.hpp>

namespace gpucheck::observe {

std::string to_valid_utf8(std::string_view text) {
  using Json = nlohmann::json;
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

std::string to_json_string(std::string_view text) { return nlohmann::json(text).dump(); }

}  // namespace gpucheck::observe
