#include "samples.hpp"

#include <cstring>
#include <utility>

#include "tensor/call/defaults.hpp"
#include "tensor/core/elements.hpp"
#include "tensor/core/errors.hpp"
#include "tensor/operators/copies/copies.hpp"

namespace gpucheck::tensor::test {
namespace {

namespace kernels = device::kernels;

Geometry geometry_of(const Shape& shape) {
  Geometry geometry{shape.sizes, contiguous_strides(shape.sizes), 0};
  if (geometry.sizes.empty()) {
    geometry.offset = shape.lay == Lay::shifted ? 1 : 0;
    return geometry;
  }
  switch (shape.lay) {
    case Lay::contiguous:
      break;
    case Lay::transposed: {
      Sizes reversed = shape.sizes;
      std::swap(reversed.front(), reversed.back());
      geometry.strides = contiguous_strides(reversed);
      std::swap(geometry.strides.front(), geometry.strides.back());
      break;
    }
    case Lay::every_second:
      for (std::int64_t& stride : geometry.strides) stride *= 2;
      break;
    case Lay::shifted:
      geometry.offset = 1;
      break;
    case Lay::expanded:
      geometry.strides.front() = 0;
      break;
  }
  return geometry;
}

/// Operators for which whole numbers around zero tell too little.
enum class Domain { any, divisors, fractions };

Domain domain_of(std::string_view name) {
  for (const std::string_view divides : {"floor_divide", "fmod", "remainder"}) {
    if (name == divides) return Domain::divisors;
  }
  for (const std::string_view inverse : {"acos", "asin", "erfinv"}) {
    if (name == inverse) return Domain::fractions;
  }
  return Domain::any;
}

/// Elements that become others: of a divisor zeros, of arguments of inverse functions all, which lie in [-1, 1] then.
void move_into(const Tensor& sample, Domain domain, unsigned place) {
  if (domain == Domain::any || (domain == Domain::divisors && place == 0)) return;
  auto* element = static_cast<std::byte*>(sample.storage().data());
  const std::size_t size = element_bytes(sample.dtype());
  for (std::size_t i = 0; i < sample.storage().bytes() / size; ++i, element += size) {
    const auto number = kernels::load_as<kernels::Complex<double>>(element, sample.dtype());
    if (domain == Domain::fractions) {
      kernels::store_as(element, sample.dtype(), kernels::Complex<double>{number.real / 4, 0});
    } else if (number == kernels::Complex<double>{}) {
      kernels::store_as(element, sample.dtype(), 3);
    }
  }
}

/// The value of an argument that has no default.
Value value_for(const ArgumentType& type) {
  switch (type.kind) {
    case ArgumentKind::scalar:
      return Scalar(2);
    case ArgumentKind::integer:
      return type.is_list ? Value(Sizes{0}) : Value(std::int64_t{0});
    case ArgumentKind::real:
      return 0.5;
    case ArgumentKind::boolean:
      return false;
    case ArgumentKind::dtype:
      return DType::float32;
    default:
      return {};
  }
}

/// Indices along the first dimension of a tensor of these sizes, in no order: in each column every one once, as far as
/// that goes and no row is repeated, so that nothing depends on who writes a place last.
Tensor make_index(const Shape& shape, const Sizes& indexed) {
  const std::int64_t size = indexed.empty() ? 1 : std::max<std::int64_t>(indexed.front(), 1);
  Shape fitting = shape;
  if (!fitting.sizes.empty()) fitting.sizes.front() = std::min(fitting.sizes.front(), size);
  const Tensor index = make_sample(fitting, DType::int64, 1);
  const std::int64_t columns = index.count() == 0 || index.rank() == 0 ? 1 : index.count() / index.sizes()[0];
  for (std::int64_t i = 0; i < index.count(); ++i) {
    std::int64_t place = 0;
    std::int64_t left = i;
    for (std::size_t k = index.sizes().size(); k-- > 0; left /= index.sizes()[k]) {
      place += left % index.sizes()[k] * index.strides()[k];
    }
    index.data_as<std::int64_t>()[place] = (i / columns + i % columns * 2 + 1) % size;
  }
  return index;
}

/// The only index of a list: one dimension, as long as the first of the tensor.
Tensor make_list_index(const Sizes& indexed) { return make_index({{indexed.empty() ? 1 : indexed.front()}}, indexed); }

}  // namespace

Value default_value(const Argument& argument) {
  const std::string_view text = argument.default_text;
  if (text == "None") return {};
  switch (argument.type.kind) {
    case ArgumentKind::scalar:
      return parse_default<Scalar>(text);
    case ArgumentKind::integer:
      return argument.type.is_list ? Value(parse_default<Sizes>(text)) : Value(parse_default<std::int64_t>(text));
    case ArgumentKind::real:
      return parse_default<double>(text);
    case ArgumentKind::boolean:
      return parse_default<bool>(text);
    case ArgumentKind::text:
      return parse_default<std::string>(text);
    case ArgumentKind::memory_format:
      return parse_default<MemoryFormat>(text);
    default:
      return {};
  }
}

std::string python_name(const Error& error) {
  if (dynamic_cast<const IndexError*>(&error) != nullptr) return "IndexError";
  if (dynamic_cast<const TypeError*>(&error) != nullptr) return "TypeError";
  if (dynamic_cast<const ValueError*>(&error) != nullptr) return "ValueError";
  if (dynamic_cast<const NotImplementedError*>(&error) != nullptr) return "NotImplementedError";
  return "RuntimeError";
}

const std::vector<ShapeSet>& shape_sets() {
  static const std::vector<ShapeSet> sets{
      {"no_dimensions", {{{}}}},
      {"one_element", {{{1}}}},
      {"empty", {{{0}}}},
      {"empty_inside", {{{2, 0, 3}}}},
      {"vector", {{{7}}}},
      {"more_than_a_block", {{{3, 5, 67}}}},
      {"vectors_and_a_rest", {{{4, 33}}}},
      {"broadcast", {{{4, 1, 3}}, {{2, 1}}}},
      {"broadcast_outer", {{{5}}, {{3, 1}}}},
      {"number_beside", {{{3, 4}}, {{}}}},
      {"transposed", {{{3, 4, 5}, Lay::transposed}}},
      {"one_transposed", {{{6, 4}, Lay::transposed}, {{6, 4}}}},
      {"every_second", {{{3, 8}, Lay::every_second}}},
      {"shifted", {{{4, 5}, Lay::shifted}}},
      {"expanded", {{{4, 5}, Lay::expanded}}},
      {"many_dimensions", {{{2, 1, 2, 1, 2, 3, 1, 2, 1, 1, 2, 2}, Lay::transposed}}},
      {"does_not_fit", {{{2, 3}}, {{4, 3}}}},
      {"square", {{{4, 4}}, {{4, 4}, Lay::transposed}, {{4, 4}, Lay::every_second}}},
      {"squares", {{{2, 3, 3}}}},
      {"vector_and_square", {{{3}}, {{3, 3}}, {{3}}}},
      {"square_and_vector", {{{3, 3}}, {{3}}}},
  };
  return sets;
}

Tensor make_sample(const Shape& shape, DType dtype, unsigned seed) {
  Geometry geometry = geometry_of(shape);
  const auto elements = static_cast<std::size_t>(geometry.offset + extent_of(geometry));
  const Storage storage(elements * element_bytes(dtype), host);
  auto* const first = static_cast<std::byte*>(elements == 0 ? nullptr : storage.data());
  for (std::size_t i = 0; i < elements; ++i) {
    const auto number = static_cast<std::int64_t>((i * 5 + seed * 3) % 9) - (dtype == DType::uint8 ? 0 : 4);
    kernels::store_as(first + i * element_bytes(dtype), dtype, number);
  }
  return {storage, dtype, std::move(geometry)};
}

std::vector<Value> make_arguments(const Schema& schema, const ShapeSet& shapes, DType dtype) {
  std::vector<Value> arguments;
  unsigned tensors = 0;
  for (const Argument& argument : schema.arguments()) {
    if (argument.type.kind == ArgumentKind::tensor && argument.default_text.empty()) {
      const Shape& shape = shapes.shapes[std::min<std::size_t>(tensors, shapes.shapes.size() - 1)];
      const DType sample_dtype = argument.name == "condition" || argument.name == "mask" ? DType::boolean : dtype;
      if (argument.name == "index") {
        arguments.emplace_back(make_index(shape, shapes.shapes[0].sizes));
      } else if (argument.name == "indices") {
        arguments.emplace_back(std::vector<Tensor>{make_list_index(shapes.shapes[0].sizes)});
      } else {
        const Tensor sample = make_sample(shape, sample_dtype, tensors);
        move_into(sample, domain_of(schema.base_name), tensors);
        arguments.push_back(argument.type.is_list ? Value(std::vector<Tensor>{sample}) : Value(sample));
      }
      ++tensors;
    } else {
      arguments.push_back(argument.default_text.empty() ? value_for(argument.type) : default_value(argument));
    }
  }
  return arguments;
}

Tensor on_device(const Tensor& tensor, Device device) {
  // The whole storage, gaps included, so that the geometry stays what it is.
  const auto elements = static_cast<std::int64_t>(tensor.storage().bytes() / element_bytes(tensor.dtype()));
  const Tensor whole(tensor.storage(), tensor.dtype(), {{elements}, {1}, 0});
  const Tensor moved = to(whole, device);
  return {moved.storage(), tensor.dtype(), tensor.geometry()};
}

std::vector<Value> on_device(const std::vector<Value>& arguments, Device device) {
  std::vector<Value> moved = arguments;
  for (Value& value : moved) {
    if (auto* const tensor = std::get_if<Tensor>(&value)) *tensor = on_device(*tensor, device);
    if (auto* const list = std::get_if<std::vector<Tensor>>(&value)) {
      for (Tensor& tensor : *list) tensor = on_device(tensor, device);
    }
  }
  return moved;
}

std::vector<std::byte> bytes_of(const Tensor& tensor) {
  const Tensor elements = contiguous(to(tensor, host));
  std::vector<std::byte> bytes(static_cast<std::size_t>(elements.count()) * element_bytes(elements.dtype()));
  if (!bytes.empty()) std::memcpy(bytes.data(), elements.data(), bytes.size());
  return bytes;
}

}  // namespace gpucheck::tensor::test
