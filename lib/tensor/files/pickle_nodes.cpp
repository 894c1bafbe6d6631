#include "tensor/files/pickle_nodes.hpp"

#include <algorithm>
#include <utility>

namespace gpucheck::tensor::files {
namespace {

template <typename... Actions>
struct Overloaded : Actions... {
  using Actions::operator()...;
};
template <typename... Actions>
Overloaded(Actions...) -> Overloaded<Actions...>;

/// The elements from the storage's first to the last that a tensor reaches; nothing where 64 bits do not hold it.
std::optional<std::int64_t> reach_of(const Geometry& geometry) {
  if (std::ranges::find(geometry.sizes, 0) != geometry.sizes.end()) return 0;
  std::int64_t last = geometry.offset;
  for (std::size_t i = 0; i < geometry.sizes.size(); ++i) {
    std::int64_t step = 0;
    if (__builtin_mul_overflow(geometry.sizes[i] - 1, geometry.strides[i], &step)) return std::nullopt;
    if (__builtin_add_overflow(last, step, &last)) return std::nullopt;
  }
  std::int64_t reach = 0;
  if (__builtin_add_overflow(last, 1, &reach)) return std::nullopt;
  return reach;
}

}  // namespace

Place Nodes::add(Node node) {
  // Twice, since vectors grow by doubling.
  budget_.take(2 * sizeof(Node));
  if (const auto* text = std::get_if<std::string>(&node)) budget_.take(text->size());
  nodes_.push_back(std::move(node));
  return static_cast<Place>(nodes_.size() - 1);
}

bool Nodes::is_key(Place place) const { return nodes_[place].index() <= Node(std::string()).index(); }

bool Nodes::is_dictionary(Place place) const {
  const auto* const sequence = std::get_if<Sequence>(&nodes_[place]);
  return sequence != nullptr && sequence->kind >= Sequence::Kind::dictionary;
}

const std::vector<Place>& Nodes::tuple(Place place) const {
  const auto& sequence = get<Sequence>(place, "what should be a tuple");
  if (sequence.kind != Sequence::Kind::tuple) budget_.fail("data.pkl: what should be a tuple is something else");
  return sequence.items;
}

TypedStorage Nodes::storage_of(Place name, const StorageLoader& loader) const {
  const std::vector<Place>& parts = tuple(name);
  if (parts.size() != 5 || get<std::string>(parts[0], "the kind of what lies outside") != "storage") {
    budget_.fail("data.pkl: only storages may lie outside the pickle");
  }
  const auto& type = get<Global>(parts[1], "a storage's type");
  const auto& key = get<std::string>(parts[2], "a storage's key");
  const auto count = get<std::int64_t>(parts[4], "a storage's size");
  if (type.meaning != Meaning::storage_type) budget_.fail("data.pkl: a storage's type is not one");
  const bool is_digits =
      !key.empty() && key.size() <= 20 && std::ranges::all_of(key, [](char c) { return c >= '0' && c <= '9'; });
  if (!is_digits) budget_.fail("data.pkl: a storage's key is not a number");
  if (count < 0) budget_.fail("data.pkl: a storage's size is below zero");
  return {loader({.dtype = type.dtype,
                  .key = key,
                  .location = get<std::string>(parts[3], "a storage's location"),
                  .count = static_cast<std::uint64_t>(count)}),
          type.dtype};
}

Node Nodes::result_of(Place function, Place arguments) const {
  const auto& global = get<Global>(function, "what is called");
  const std::vector<Place>& parts = tuple(arguments);
  switch (global.meaning) {
    case Meaning::ordered_dictionary:
      if (!parts.empty()) budget_.fail("data.pkl: an OrderedDict is made of something");
      return Sequence{Sequence::Kind::ordered_dictionary, {}};
    case Meaning::rebuild_tensor:
      return tensor_of(parts);
    case Meaning::rebuild_parameter:
      return parameter_of(parts);
    case Meaning::size:
      if (parts.size() != 1) budget_.fail("data.pkl: a torch.Size is made of something else than one tuple");
      return Sequence{Sequence::Kind::tuple, tuple(parts[0])};
    case Meaning::complex:
      return complex_of(parts);
    case Meaning::storage_type:
      break;
  }
  budget_.fail("data.pkl: a storage's type is called");
}

std::complex<double> Nodes::complex_of(const std::vector<Place>& arguments) const {
  if (arguments.size() != 2) budget_.fail("data.pkl: a complex number has not two parts");
  return {get<double>(arguments[0], "a real part"), get<double>(arguments[1], "an imaginary part")};
}

Sizes Nodes::sizes_of(Place place, std::string_view what) const {
  const std::vector<Place>& parts = tuple(place);
  if (parts.size() > max_rank) {
    budget_.fail(fmt::format("data.pkl: a tensor has {} dimensions, more than {}", parts.size(), max_rank));
  }
  Sizes sizes;
  for (const Place part : parts) {
    const auto size = get<std::int64_t>(part, what);
    if (size < 0) budget_.fail(fmt::format("data.pkl: {} is below zero", what));
    sizes.push_back(size);
  }
  return sizes;
}

void Nodes::require_fit(const TypedStorage& storage, const Geometry& geometry) const {
  if (geometry.sizes.size() != geometry.strides.size())
    budget_.fail("data.pkl: a tensor has not a stride for each size");
  const std::optional<std::int64_t> reach = reach_of(geometry);
  if (geometry.offset < 0 || !reach || std::cmp_greater(*reach, storage.count())) {
    budget_.fail(
        fmt::format("data.pkl: a tensor of sizes {}, strides {} and offset {} does not fit its storage of {} "
                    "elements",
                    to_text(geometry.sizes), to_text(geometry.strides), geometry.offset, storage.count()));
  }
}

Tensor Nodes::tensor_of(const std::vector<Place>& arguments) const {
  // PyTorch adds a seventh only to tensors that are more than their elements.
  if (arguments.size() != 6) budget_.fail("data.pkl: a tensor is not made of six parts");
  const auto& storage = get<TypedStorage>(arguments[0], "a tensor's storage");
  Geometry geometry{.sizes = sizes_of(arguments[2], "a tensor's size"),
                    .strides = sizes_of(arguments[3], "a tensor's stride"),
                    .offset = get<std::int64_t>(arguments[1], "a tensor's offset")};
  static_cast<void>(get<bool>(arguments[4], "whether a tensor requires gradients"));
  require_fit(storage, geometry);
  return {storage.storage, storage.dtype, std::move(geometry)};
}

Parameter Nodes::parameter_of(const std::vector<Place>& arguments) const {
  if (arguments.size() != 3) budget_.fail("data.pkl: a parameter is not made of three parts");
  Parameter parameter{.data = get<Tensor>(arguments[0], "a parameter's data"),
                      .requires_grad = get<bool>(arguments[1], "whether a parameter requires gradients")};
  if (parameter.requires_grad && !is_floating(parameter.data.dtype()) && !is_complex(parameter.data.dtype())) {
    budget_.fail("Only Tensors of floating point and complex dtype can require gradients");
  }
  return parameter;
}

Object Nodes::object_of(Place place, int depth) const {
  if (depth > max_depth) budget_.fail(fmt::format("data.pkl: lists lie in lists more than {} levels deep", max_depth));
  budget_.take(2 * sizeof(Item));
  return std::visit(
      Overloaded{[&](const Sequence& sequence) { return container_of(sequence, depth); },
                 [&](const std::string& text) {
                   budget_.take(text.size());
                   return Object(text);
                 },
                 [&](const Global&) -> Object { budget_.fail("data.pkl: a name stands where a value should"); },
                 [](std::monostate) { return Object(); }, [](const auto& value) { return Object(value); }},
      nodes_[place]);
}

Object Nodes::container_of(const Sequence& sequence, int depth) const {
  if (sequence.kind >= Sequence::Kind::dictionary) {
    Dictionary dictionary{.items = {}, .is_ordered = sequence.kind == Sequence::Kind::ordered_dictionary};
    for (std::size_t i = 0; i + 1 < sequence.items.size(); i += 2) {
      dictionary.items.emplace_back(object_of(sequence.items[i], depth + 1),
                                    object_of(sequence.items[i + 1], depth + 1));
    }
    return dictionary;
  }
  std::vector<Object> items;
  for (const Place item : sequence.items) items.push_back(object_of(item, depth + 1));
  if (sequence.kind == Sequence::Kind::tuple) return Tuple{std::move(items)};
  return List{std::move(items)};
}

}  // namespace gpucheck::tensor::files
