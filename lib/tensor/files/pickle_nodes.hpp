#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "tensor/files/memory_budget.hpp"
#include "tensor/files/object.hpp"
#include "tensor/files/pickle_reader.hpp"
#include "tensor/files/pickle_vocabulary.hpp"

/// What a pickle's program works on: values that refer to each other by their places, since a container may be referred
/// to before it is filled.
namespace gpucheck::tensor::files {

using Place = std::uint32_t;

struct Sequence {
  enum class Kind : std::uint8_t { list, tuple, dictionary, ordered_dictionary };
  Kind kind = Kind::list;
  std::vector<Place> items;  ///< of a dictionary each key before its value
};

using Node = std::variant<std::monostate, bool, std::int64_t, double, std::complex<double>, std::string, Sequence,
                          Global, Tensor, Parameter, TypedStorage>;

/// All values of a pickle.
class Nodes {
 public:
  explicit Nodes(MemoryBudget& budget) noexcept : budget_(budget) {}

  /// @throws Error beyond the budget.
  Place add(Node node);
  [[nodiscard]] Node& operator[](Place place) { return nodes_[place]; }
  [[nodiscard]] const Node& operator[](Place place) const { return nodes_[place]; }
  [[nodiscard]] bool is_key(Place place) const;
  [[nodiscard]] bool is_dictionary(Place place) const;
  /// The items of a tuple. @throws Error for another value.
  [[nodiscard]] const std::vector<Place>& tuple(Place place) const;

  /// What a persistent name stands for. @throws Error where it is not that of a storage.
  [[nodiscard]] TypedStorage storage_of(Place name, const StorageLoader& loader) const;
  /// What a function of PyTorch's would give for these arguments. @throws Error.
  [[nodiscard]] Node result_of(Place function, Place arguments) const;
  /// The value as an object of its own. @throws Error for what is none, and for more than `max_depth` levels.
  [[nodiscard]] Object object_of(Place place, int depth = 1) const;

 private:
  template <typename T>
  [[nodiscard]] const T& get(Place place, std::string_view what) const {
    const T* const value = std::get_if<T>(&nodes_[place]);
    if (value == nullptr) budget_.fail(fmt::format("data.pkl: {} is of another type than PyTorch's", what));
    return *value;
  }
  [[nodiscard]] Sizes sizes_of(Place place, std::string_view what) const;
  [[nodiscard]] Tensor tensor_of(const std::vector<Place>& arguments) const;
  [[nodiscard]] Parameter parameter_of(const std::vector<Place>& arguments) const;
  [[nodiscard]] std::complex<double> complex_of(const std::vector<Place>& arguments) const;
  [[nodiscard]] Object container_of(const Sequence& sequence, int depth) const;
  void require_fit(const TypedStorage& storage, const Geometry& geometry) const;

  MemoryBudget& budget_;
  std::vector<Node> nodes_;
};

}  // namespace gpucheck::tensor::files
