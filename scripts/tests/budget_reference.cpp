// What scripts/check_budget compiles to learn how fast this machine's compiler is: headers and templates of the kind
// that most of gpucheck's sources are made of, and nothing of gpucheck, so that it changes only with the libraries.
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

std::string reference(const std::string& text, std::map<std::string, std::vector<std::function<int(int)>>>& functions) {
  const nlohmann::ordered_json json = nlohmann::ordered_json::parse(text);
  for (const auto& [key, value] : json.items()) {
    functions[std::regex_replace(key, std::regex("[^a-z]+"), "_")].emplace_back(
        [number = value.get<int>()](int more) { return number + more; });
  }
  return json.dump();
}
