#include "samples.hpp"

#include <bit>
#include <fmt/format.h>
#include <map>

namespace gpucheck::tensor::files::test {
namespace {

class Describer {
 public:
  std::string text_of(const Object& object) {
    return std::visit([this](const auto& value) { return this->text(value); }, object.value);
  }

 private:
  static std::string text(std::monostate) { return "None"; }
  static std::string text(bool value) { return value ? "True" : "False"; }
  static std::string text(std::int64_t value) { return std::to_string(value); }
  static std::string text(double value) { return fmt::format("float {:016x}", std::bit_cast<std::uint64_t>(value)); }
  static std::string text(std::complex<double> value) {
    return fmt::format("complex {} {}", text(value.real()), text(value.imag()));
  }
  static std::string text(const std::string& value) { return "'" + value + "'"; }
  std::string text(const List& list) { return "[" + texts(list.items) + "]"; }
  std::string text(const Tuple& tuple) { return "(" + texts(tuple.items) + ")"; }
  std::string text(const Dictionary& dictionary) {
    std::vector<std::string> items;
    for (const auto& [key, value] : dictionary.items) items.push_back(text_of(key) + ": " + text_of(value));
    return fmt::format("{}{{{}}}", dictionary.is_ordered ? "OrderedDict" : "", fmt::join(items, ", "));
  }
  std::string text(const Tensor& tensor) { return once('t', tensor.identity(), elements(tensor)); }
  std::string text(const Parameter& parameter) {
    return fmt::format("parameter({}, {})", text(parameter.requires_grad), elements(parameter.data));
  }
  std::string text(const TypedStorage& storage) {
    return fmt::format("storage({}, {})", to_text(storage.dtype), memory(storage.storage));
  }

  std::string texts(const std::vector<Object>& objects) {
    std::vector<std::string> items;
    for (const Object& object : objects) items.push_back(text_of(object));
    return fmt::format("{}", fmt::join(items, ", "));
  }
  std::string elements(const Tensor& tensor) {
    return fmt::format("tensor({}, {}, {}, {}, {})", to_text(tensor.dtype()), to_text(tensor.sizes()),
                       to_text(tensor.strides()), tensor.offset(), memory(tensor.storage()));
  }
  std::string memory(const Storage& storage) {
    // PyTorch does not keep who shares no bytes.
    if (storage.bytes() == 0) return storage.device().text() + " nothing";
    std::string bytes;
    for (const char c : contents(storage)) bytes += fmt::format("{:02x}", static_cast<std::uint8_t>(c));
    return once('#', storage.identity(), storage.device().text() + " " + bytes);
  }
  /// The whole text where the thing first appears, and its number.
  std::string once(char kind, std::uintptr_t identity, const std::string& whole) {
    std::map<std::uintptr_t, std::size_t>& seen = seen_[kind];
    const auto [place, is_new] = seen.try_emplace(identity, seen.size());
    return fmt::format("{}{}{}", kind, place->second, is_new ? " " + whole : "");
  }

  std::map<char, std::map<std::uintptr_t, std::size_t>> seen_;
};

Object plain_values() {
  return Tuple{{Object(),
                true,
                false,
                0,
                255,
                256,
                65536,
                -1,
                std::int64_t{1} << 40U,
                0.1,
                -0.0,
                std::complex<double>(1.5, -2),
                "",
                "d\xC3\xA9j\xC3\xA0",
                List{},
                List{{1}},
                Tuple{},
                Tuple{{1}},
                Tuple{{1, 2, 3, 4}},
                Dictionary{},
                Dictionary{{{"a", 1}, {2, List{{"b"}}}}},
                Dictionary{{}, true},
                Dictionary{{{"z", 1}, {"a", 2}}, true}}};
}

Object shapes() {
  const Tensor matrix = counting({3, 4}, DType::int16);
  return List{{counting({}, DType::float64), counting({0, 3}, DType::float32), matrix,
               matrix.with_geometry({{4, 3}, {1, 4}, 0}), matrix.with_geometry({{2, 3}, {0, 1}, 4}),
               matrix.with_geometry({{2}, {4}, 6})}};
}

Object shared(Device device) {
  const Tensor whole = counting({8}, DType::int32);
  const Tensor tensor = device.is_host() ? whole : on(device, whole);
  return List{{tensor, tensor.with_geometry({{4}, {2}, 1}), tensor, TypedStorage{tensor.storage(), DType::int32}}};
}

Object parameters() {
  const Tensor weight = counting({2, 2}, DType::float32);
  return Dictionary{{{"weight", Parameter{weight}}, {"fixed", Parameter{counting({2}, DType::bfloat16), false}}}, true};
}

}  // namespace

std::vector<Sample> samples(runtime::Runtime& device) {
  List types;
  for (const DType dtype : all_dtypes) types.items.emplace_back(counting({2, 3}, dtype));
  List storages;
  for (const DType dtype : all_dtypes) {
    storages.items.emplace_back(TypedStorage{counting({3}, dtype).storage(), dtype});
  }
  return {{"plain_values", plain_values()}, {"types", types},
          {"storages", storages},           {"shapes", shapes()},
          {"shared", shared(host)},         {"shared_on_device", shared(device)},
          {"parameters", parameters()}};
}

std::string description_of(const Object& object) { return Describer().text_of(object); }

}  // namespace gpucheck::tensor::files::test
