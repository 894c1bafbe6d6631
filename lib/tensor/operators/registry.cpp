#include <string>
#include <unordered_map>

#include "tensor/operators/registration.hpp"

namespace gpucheck::tensor {
namespace {

/// Entries stay where they are once they are bound.
struct Registry {
  Registry() : entries(operators::all()) {
    for (const Entry& entry : entries) {
      if (!by_name.emplace(entry.schema.qualified_name(), &entry).second) {
        throw SchemaError("two operators are called " + entry.schema.qualified_name());
      }
      entry.bind(entry);
    }
  }

  std::vector<Entry> entries;
  std::unordered_map<std::string, const Entry*> by_name;
};

const Registry& registry() {
  static const Registry registry;
  return registry;
}

}  // namespace

const std::vector<Entry>& all_operators() { return registry().entries; }

const Entry* find_operator(std::string_view qualified_name) {
  const auto& by_name = registry().by_name;
  const auto found = by_name.find(std::string(qualified_name));
  return found == by_name.end() ? nullptr : found->second;
}

}  // namespace gpucheck::tensor
