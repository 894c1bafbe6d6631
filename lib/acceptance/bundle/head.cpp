#include "acceptance/bundle/head.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/text/strict_json.hpp"

namespace gpucheck::acceptance {
namespace {

using Json = nlohmann::ordered_json;

BundleHead head_of(const Json& json) {
  BundleHead head{.version = json.at("version").get<std::string>(),
                  .contract = json.at("contract").get<std::string>(),
                  .contract_version = json.at("contract_version").get<std::string>(),
                  .expected = {.count = {}, .names = json.at("expected_names").get<std::vector<std::string>>()}};
  const Json& count = json.at("expected_nodes");
  if (!count.is_null()) head.expected.count = count.get<std::size_t>();
  return head;
}

}  // namespace

std::string head_text(const BundleHead& head) {
  const Json json{{"schema", "gpucheck.bundle/1"},
                  {"version", head.version},
                  {"contract", head.contract},
                  {"contract_version", head.contract_version},
                  {"expected_nodes", head.expected.count ? Json(*head.expected.count) : Json()},
                  {"expected_names", head.expected.names}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

BundleHead parse_head(std::string_view text) {
  BundleHead head;
  try {
    head = head_of(parse_strict_json(text, 4));
  } catch (const std::exception& problem) {
    throw Error(fmt::format("this is not the head of a bundle: {}", problem.what()));
  }
  if (head_text(head) != text) throw Error("it is not written as gpucheck writes it");
  const std::vector<std::string>& names = head.expected.names;
  const bool is_set = std::ranges::is_sorted(names) && std::ranges::adjacent_find(names) == names.end();
  if (!is_set || (!names.empty() && head.expected.count != names.size())) {
    throw Error("the nodes that it expects are not a list of names, each once, in order");
  }
  return head;
}

}  // namespace gpucheck::acceptance
