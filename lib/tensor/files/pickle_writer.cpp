#include "tensor/files/pickle_writer.hpp"

#include <bit>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>

#include "base/text/utf8.hpp"
#include "tensor/files/pickle_vocabulary.hpp"

namespace gpucheck::tensor::files {
namespace {

class PickleWriter {
 public:
  Pickle write(const Object& object) {
    put(Opcode::proto);
    put_byte(pickle_protocol);
    put_object(object);
    put(Opcode::stop);
    return std::move(pickle_);
  }

 private:
  /// A tensor as itself, or as a parameter's data.
  enum class Role { tensor, parameter, parameter_without_grad };
  using Saved = std::pair<Role, std::uintptr_t>;

  void put_object(const Object& object) {
    if (++depth_ > max_depth) throw Error(fmt::format("lists in lists are saved up to {} levels", max_depth));
    std::visit([this](const auto& value) { put_value(value); }, object.value);
    --depth_;
  }

  void put_value(std::monostate) { put(Opcode::none); }
  void put_value(bool value) { put(value ? Opcode::newtrue : Opcode::newfalse); }
  void put_value(std::int64_t value);
  void put_value(double value);
  void put_value(std::complex<double> value);
  void put_value(const std::string& value);
  void put_value(const List& list);
  void put_value(const Tuple& tuple);
  void put_value(const Dictionary& dictionary);
  void put_value(const Tensor& tensor);
  void put_value(const Parameter& parameter);
  void put_value(const TypedStorage& storage);

  void put_sizes(const Sizes& sizes);
  void put_tuple_of(std::size_t count);
  void put_empty_ordered_dictionary();
  void put_global(Global global);
  /// Refers to what was saved before; false where it was not.
  bool put_reference(Saved saved);
  void remember(Saved saved);
  std::size_t key_of(const Storage& storage, DType dtype);

  void put(Opcode opcode) { pickle_.bytes += static_cast<char>(opcode); }
  void put_byte(std::uint8_t byte) { pickle_.bytes += static_cast<char>(byte); }
  void put_little_endian(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) put_byte(static_cast<std::uint8_t>(value >> (8U * static_cast<unsigned>(i))));
  }

  struct SavedStorage {
    std::size_t place;
    DType dtype;
  };

  Pickle pickle_;
  int depth_ = 0;
  std::map<Saved, std::uint32_t> memo_;
  std::unordered_map<std::uintptr_t, SavedStorage> storages_;
};

void PickleWriter::put_value(std::int64_t value) {
  if (value >= 0 && value <= std::numeric_limits<std::uint8_t>::max()) {
    put(Opcode::binint1);
    return put_little_endian(static_cast<std::uint64_t>(value), 1);
  }
  if (value >= 0 && value <= std::numeric_limits<std::uint16_t>::max()) {
    put(Opcode::binint2);
    return put_little_endian(static_cast<std::uint64_t>(value), 2);
  }
  if (std::in_range<std::int32_t>(value)) {
    put(Opcode::binint);
    return put_little_endian(static_cast<std::uint64_t>(value), 4);
  }
  put(Opcode::long1);
  put_byte(8);
  put_little_endian(static_cast<std::uint64_t>(value), 8);
}

void PickleWriter::put_value(double value) {
  put(Opcode::binfloat);
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (unsigned shift = 64; shift > 0; shift -= 8) put_byte(static_cast<std::uint8_t>(bits >> (shift - 8)));
}

void PickleWriter::put_value(std::complex<double> value) {
  put_global({Meaning::complex});
  put_value(value.real());
  put_value(value.imag());
  put(Opcode::tuple2);
  put(Opcode::reduce);
}

void PickleWriter::put_value(const std::string& value) {
  if (to_valid_utf8(value) != value) throw Error("a text that is not UTF-8 cannot be saved");
  if (!std::in_range<std::uint32_t>(value.size())) throw Error("a text of 4 GiB or more cannot be saved");
  put(Opcode::binunicode);
  put_little_endian(value.size(), 4);
  pickle_.bytes += value;
}

void PickleWriter::put_value(const List& list) {
  put(Opcode::empty_list);
  if (list.items.empty()) return;
  put(Opcode::mark);
  for (const Object& item : list.items) put_object(item);
  put(Opcode::appends);
}

void PickleWriter::put_value(const Tuple& tuple) {
  if (tuple.items.size() > 3) put(Opcode::mark);
  for (const Object& item : tuple.items) put_object(item);
  put_tuple_of(tuple.items.size());
}

void PickleWriter::put_value(const Dictionary& dictionary) {
  if (dictionary.is_ordered) {
    put_empty_ordered_dictionary();
  } else {
    put(Opcode::empty_dict);
  }
  if (dictionary.items.empty()) return;
  put(Opcode::mark);
  for (const auto& [key, value] : dictionary.items) {
    if (key.value.index() > Object(std::string()).value.index()) {
      throw Error("a dictionary whose keys are not numbers, texts or nothing cannot be saved");
    }
    put_object(key);
    put_object(value);
  }
  put(Opcode::setitems);
}

void PickleWriter::put_value(const Tensor& tensor) {
  if (!tensor.defined()) throw Error("an undefined tensor cannot be saved");
  const Saved saved{Role::tensor, tensor.identity()};
  if (put_reference(saved)) return;
  put_global({Meaning::rebuild_tensor});
  put(Opcode::mark);
  put_value(TypedStorage{tensor.storage(), tensor.dtype()});
  put_value(tensor.offset());
  put_sizes(tensor.sizes());
  put_sizes(tensor.strides());
  put_value(false);                // whether it requires gradients
  put_empty_ordered_dictionary();  // of hooks
  put(Opcode::tuple);
  put(Opcode::reduce);
  remember(saved);
}

void PickleWriter::put_value(const Parameter& parameter) {
  if (!parameter.data.defined()) throw Error("an undefined parameter cannot be saved");
  if (parameter.requires_grad && !is_floating(parameter.data.dtype()) && !is_complex(parameter.data.dtype())) {
    throw Error("Only Tensors of floating point and complex dtype can require gradients");
  }
  const Saved saved{parameter.requires_grad ? Role::parameter : Role::parameter_without_grad,
                    parameter.data.identity()};
  if (put_reference(saved)) return;
  put_global({Meaning::rebuild_parameter});
  put_value(parameter.data);
  put_value(parameter.requires_grad);
  put_empty_ordered_dictionary();
  put(Opcode::tuple3);
  put(Opcode::reduce);
  remember(saved);
}

void PickleWriter::put_value(const TypedStorage& storage) {
  if (!storage.storage) throw Error("a storage that there is not cannot be saved");
  const std::size_t key = key_of(storage.storage, storage.dtype);
  put(Opcode::mark);
  put_value(std::string("storage"));
  put_global({Meaning::storage_type, storage.dtype});
  put_value(std::to_string(key));
  put_value(storage.storage.device().text());
  put_value(static_cast<std::int64_t>(storage.count()));
  put(Opcode::tuple);
  put(Opcode::binpersid);
}

std::size_t PickleWriter::key_of(const Storage& storage, DType dtype) {
  const auto [saved, is_new] = storages_.try_emplace(storage.identity(), SavedStorage{pickle_.storages.size(), dtype});
  if (is_new) {
    pickle_.storages.push_back(storage);
  } else if (saved->second.dtype != dtype && storage.bytes() > 0) {
    throw Error("Cannot save multiple tensors or storages that view the same data as different types");
  }
  return saved->second.place;
}

void PickleWriter::put_sizes(const Sizes& sizes) {
  if (sizes.size() > 3) put(Opcode::mark);
  for (const std::int64_t size : sizes) put_value(size);
  put_tuple_of(sizes.size());
}

void PickleWriter::put_tuple_of(std::size_t count) {
  constexpr std::array opcodes{Opcode::empty_tuple, Opcode::tuple1, Opcode::tuple2, Opcode::tuple3};
  put(count < opcodes.size() ? opcodes[count] : Opcode::tuple);
}

void PickleWriter::put_empty_ordered_dictionary() {
  put_global({Meaning::ordered_dictionary});
  put(Opcode::empty_tuple);
  put(Opcode::reduce);
}

void PickleWriter::put_global(Global global) {
  const GlobalName name = name_of(global);
  put(Opcode::global);
  pickle_.bytes.append(name.module).append("\n").append(name.name).append("\n");
}

bool PickleWriter::put_reference(Saved saved) {
  const auto place = memo_.find(saved);
  if (place == memo_.end()) return false;
  put(Opcode::long_binget);
  put_little_endian(place->second, 4);
  return true;
}

void PickleWriter::remember(Saved saved) {
  const auto number = static_cast<std::uint32_t>(memo_.size());
  memo_.emplace(saved, number);
  put(Opcode::long_binput);
  put_little_endian(number, 4);
}

}  // namespace

Pickle pickle_of(const Object& object) { return PickleWriter().write(object); }

}  // namespace gpucheck::tensor::files
