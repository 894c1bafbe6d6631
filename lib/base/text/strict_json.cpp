#include "base/text/strict_json.hpp"

#include <cstddef>
#include <fmt/format.h>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace gpucheck {
namespace {

using Json = nlohmann::ordered_json;

/// The library's own builder of documents, with the rules in front. Its parser with a callback is not used: at the end
/// of each object it looks through all that stand before it in the same array.
class StrictBuilder : public nlohmann::detail::json_sax_dom_parser<Json> {
  using Base = nlohmann::detail::json_sax_dom_parser<Json>;

 public:
  StrictBuilder(Json& document, int deepest) : Base(document), deepest_(static_cast<std::size_t>(deepest)) {}

  bool start_object(std::size_t size) {
    open();
    return Base::start_object(size);
  }
  bool start_array(std::size_t size) {
    open();
    return Base::start_array(size);
  }
  bool end_object() {
    keys_.pop_back();
    return Base::end_object();
  }
  bool end_array() {
    keys_.pop_back();
    return Base::end_array();
  }

  bool key(std::string& name) {
    if (!keys_.back().insert(name).second) {
      throw Error(fmt::format("the key {} appears twice in its object",
                              Json(name).dump(-1, ' ', true, Json::error_handler_t::replace)));
    }
    return Base::key(name);
  }

 private:
  void open() {
    if (keys_.size() > deepest_) throw Error(fmt::format("it is nested more than {} levels deep", deepest_));
    keys_.emplace_back();
  }

  std::size_t deepest_;
  std::vector<std::set<std::string>> keys_;  // of each object or array that is open; an array's stay empty
};

}  // namespace

nlohmann::ordered_json parse_strict_json(std::string_view text, int deepest) {
  Json document;
  StrictBuilder builder(document, deepest);
  Json::sax_parse(text, &builder);
  return document;
}

}  // namespace gpucheck
