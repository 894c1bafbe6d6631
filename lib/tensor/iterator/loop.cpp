#include "tensor/iterator/loop.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <numeric>

#include "base/error.hpp"
#include "tensor/core/elements.hpp"
#include "tensor/core/item.hpp"
#include "tensor/iterator/overlap.hpp"
#include "tensor/iterator/promotion.hpp"

namespace gpucheck::tensor {
namespace {

/// A tensor of the host without dimensions, which a loop on a device takes for a number.
bool is_host_number(const Tensor& tensor, Device device) {
  return tensor.rank() == 0 && tensor.device().is_host() && !device.is_host();
}

const Tensor* first_tensor(std::initializer_list<Operand> inputs) {
  for (const Operand& operand : inputs) {
    if (operand.tensor() != nullptr) return operand.tensor();
  }
  return nullptr;
}

[[noreturn]] void refuse_devices(Device common, Device other) {
  throw Error(fmt::format("Expected all tensors to be on the same device, but found at least two devices, {} and {}!",
                          common.text(), other.text()));
}

/// A result in place has its shape; one that was passed for it can be resized.
void require_shape(const Destination& destination, const Sizes& shape) {
  const Sizes& sizes = destination.tensor.sizes();
  if (destination.form != Form::in_place || sizes == shape) return;
  throw Error(fmt::format("output with shape {} doesn't match the broadcast shape {}", to_text(sizes), to_text(shape)));
}

/// A number as one of a type of whole numbers, of which it keeps the lowest bits.
Scalar wrapped(const Scalar& number, DType dtype) {
  return device::kernels::with_stored_type(dtype, [&]<typename T>(std::type_identity<T>) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      return Scalar(static_cast<std::int64_t>(device::kernels::convert_element<T>(number.to_int())));
    } else {
      return number;
    }
  });
}

}  // namespace

void refuse_cast(DType computed, DType wanted) {
  throw Error(fmt::format("result type {} can't be cast to the desired output type {}", to_error_text(computed),
                          to_error_text(wanted)));
}

Loop::Loop(const Destination& destination, std::initializer_list<Operand> inputs, const LoopOptions& options) {
  choose_device(destination, inputs);
  choose_dtype(inputs, options);
  make_result(destination, inputs, options);
}

void Loop::choose_device(const Destination& destination, std::initializer_list<Operand> inputs) {
  const auto take = [&](const Tensor& tensor) {
    if (device_.is_host() && !tensor.device().is_host()) device_ = tensor.device();
  };
  if (destination.tensor.defined()) take(destination.tensor);
  for (const Operand& operand : inputs) {
    if (operand.tensor() != nullptr) take(*operand.tensor());
  }
  if (destination.tensor.defined() && destination.tensor.device() != device_) {
    refuse_devices(device_, destination.tensor.device());
  }
  for (const Operand& operand : inputs) {
    const Tensor* const tensor = operand.tensor();
    if (tensor == nullptr || tensor->device() == device_ || is_host_number(*tensor, device_)) continue;
    refuse_devices(device_, tensor->device());
  }
}

void Loop::choose_dtype(std::initializer_list<Operand> inputs, const LoopOptions& options) {
  if (options.computed_dtype) {
    computed_dtype_ = *options.computed_dtype;
    return;
  }
  const Tensor* const first = first_tensor(inputs);
  bool is_one_type = first != nullptr && inputs.size() > 0;
  for (const Operand& operand : inputs) {
    is_one_type &= operand.tensor() != nullptr && operand.tensor()->dtype() == first->dtype();
  }
  if (is_one_type) {
    computed_dtype_ = first->dtype();
  } else {
    ResultType type;
    for (const Operand& operand : inputs) {
      if (operand.tensor() != nullptr) {
        type.add(*operand.tensor());
      } else {
        type.add(operand.number());
      }
    }
    computed_dtype_ = type.dtype(options.result_dtype.has_value());
  }
  if (options.whole_to_float && is_integral(computed_dtype_, true)) computed_dtype_ = DType::float32;
}

bool Loop::take_contiguous(const Destination& destination, std::initializer_list<Operand> inputs, DType result_dtype) {
  const Tensor* shape = destination.tensor.defined() ? &destination.tensor : nullptr;
  const auto fits = [&](const Tensor& tensor) {
    if (!tensor.is_contiguous()) return false;
    if (shape == nullptr) shape = &tensor;
    return tensor.sizes() == shape->sizes();
  };
  if (destination.tensor.defined() && !fits(destination.tensor)) return false;
  for (const Operand& operand : inputs) {
    const Tensor* const tensor = operand.tensor();
    if (tensor != nullptr && !is_host_number(*tensor, device_) && !fits(*tensor)) return false;
  }
  if (shape == nullptr) return false;
  result_ = destination.tensor.defined() ? destination.tensor : make_empty(shape->sizes(), result_dtype, device_);
  count_ = shape->count();
  sizes_ = {count_};
  const auto add = [&](const Tensor& tensor) {
    places_.push_back({tensor.data(), tensor.dtype(), {static_cast<std::int64_t>(element_bytes(tensor.dtype()))}, {}});
  };
  add(result_);
  for (const Operand& operand : inputs) {
    if (operand.tensor() == nullptr || is_host_number(*operand.tensor(), device_)) {
      add_number(operand);
    } else {
      add(*operand.tensor());
    }
  }
  return true;
}

void Loop::make_result(const Destination& destination, std::initializer_list<Operand> inputs,
                       const LoopOptions& options) {
  const DType result_dtype = options.result_dtype.value_or(computed_dtype_);
  const bool is_there = destination.tensor.defined();
  const auto require_type = [&] {
    if (!is_there || options.result_dtype || options.is_copy) return;
    if (!can_cast(computed_dtype_, destination.tensor.dtype())) {
      refuse_cast(computed_dtype_, destination.tensor.dtype());
    }
  };
  if (is_there) require_no_internal_overlap(destination.tensor);
  for (const Operand& operand : inputs) {
    if (is_there && operand.tensor() != nullptr) require_no_partial_overlap(destination.tensor, *operand.tensor());
  }
  if (take_contiguous(destination, inputs, result_dtype)) return require_type();

  Sizes shape;
  bool has_shape = false;
  for (const Operand& operand : inputs) {
    if (operand.tensor() == nullptr) continue;
    shape = has_shape ? broadcast_sizes(shape, operand.tensor()->sizes()) : operand.tensor()->sizes();
    has_shape = true;
  }
  if (is_there && (!has_shape || options.is_copy)) shape = destination.tensor.sizes();
  if (is_there) require_shape(destination, shape);
  require_type();
  if (is_there && destination.tensor.sizes() != shape) resize(destination.tensor, shape);
  count_ = element_count(shape);
  sizes_.assign(shape.rbegin(), shape.rend());
  if (is_there) {
    add_place(destination.tensor, shape);
  } else {
    places_.push_back({nullptr, result_dtype, {}, {}});
  }
  for (const Operand& operand : inputs) {
    if (operand.tensor() == nullptr || is_host_number(*operand.tensor(), device_)) {
      add_number(operand);
    } else {
      add_place(*operand.tensor(), shape);
    }
  }
  result_ = destination.tensor;
  reorder();
  coalesce();
}

void Loop::add_place(const Tensor& tensor, const Sizes& shape) {
  Place place{tensor.data(), tensor.dtype(), Sizes(shape.size(), 0), {}};
  const auto size = static_cast<std::int64_t>(element_bytes(tensor.dtype()));
  const std::size_t rank = tensor.sizes().size();
  for (std::size_t i = 0; i < std::min(rank, shape.size()); ++i) {
    const std::size_t from = rank - 1 - i;
    place.strides[i] =
        tensor.sizes()[from] == 1 && shape[shape.size() - 1 - i] != 1 ? 0 : tensor.strides()[from] * size;
  }
  places_.push_back(place);
}

void Loop::add_number(const Operand& operand) {
  const Scalar number = operand.tensor() == nullptr ? operand.number() : host_item(*operand.tensor());
  places_.push_back({nullptr, computed_dtype_, Sizes(sizes_.size(), 0), wrapped(number, computed_dtype_)});
}

/// Whether dimension a should run faster than b: below 0; b than a: above 0; nothing says: 0.
int Loop::compare(std::size_t a, std::size_t b, std::size_t first_place) const {
  for (std::size_t k = first_place; k < places_.size(); ++k) {
    if (places_[k].data == nullptr && count_ > 0) continue;
    const std::int64_t one = places_[k].strides[a];
    const std::int64_t other = places_[k].strides[b];
    if (one == 0 || other == 0) continue;
    if (one != other) return one < other ? -1 : 1;
    if (sizes_[a] > sizes_[b]) return 1;
  }
  return 0;
}

void Loop::reorder() {
  const bool is_new = !result_.defined();
  boost::container::static_vector<std::size_t, max_rank> order(sizes_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = 1; i < order.size(); ++i) {
    std::size_t moved = i;
    for (std::size_t before = i; before-- > 0;) {
      const int comparison = compare(order[before], order[moved], is_new ? 1 : 0);
      if (comparison < 0) break;
      if (comparison == 0) continue;
      std::swap(order[before], order[moved]);
      moved = before;
    }
  }
  if (is_new) {
    // Laid out as the loop goes, so that the result has the order of dimensions of what it is made from.
    Sizes sizes(sizes_.rbegin(), sizes_.rend());
    Sizes strides(sizes.size());
    std::int64_t step = 1;
    for (const std::size_t dimension : order) {
      strides[sizes.size() - 1 - dimension] = step;
      step *= std::max<std::int64_t>(sizes_[dimension], 1);
    }
    result_ = make_empty_strided(sizes, strides, places_[0].dtype, device_);
    const Places others(places_.begin() + 1, places_.end());
    places_.clear();
    add_place(result_, sizes);
    places_.insert(places_.end(), others.begin(), others.end());
  }
  permute(order);
}

void Loop::permute(const boost::container::static_vector<std::size_t, max_rank>& order) {
  const auto permuted = [&](const Sizes& values) {
    Sizes result;
    for (const std::size_t dimension : order) result.push_back(values[dimension]);
    return result;
  };
  sizes_ = permuted(sizes_);
  for (Place& place : places_) place.strides = permuted(place.strides);
}

void Loop::coalesce() {
  if (sizes_.empty()) return;
  std::size_t last = 0;
  const auto follows = [&](const Place& place, std::size_t next) {
    return place.strides[last] * sizes_[last] == place.strides[next];
  };
  for (std::size_t i = 1; i < sizes_.size(); ++i) {
    const bool joins = sizes_[last] == 1 || sizes_[i] == 1 ||
                       std::ranges::all_of(places_, [&](const Place& place) { return follows(place, i); });
    if (!joins) ++last;
    for (Place& place : places_) {
      if (!joins || sizes_[last] == 1) place.strides[last] = place.strides[i];
    }
    sizes_[last] = joins ? sizes_[last] * sizes_[i] : sizes_[i];
  }
  sizes_.resize(last + 1);
  for (Place& place : places_) place.strides.resize(last + 1);
}

bool Loop::is_contiguous_of(DType dtype) const noexcept {
  if (sizes_.size() > 1) return false;
  const auto size = static_cast<std::int64_t>(element_bytes(dtype));
  constexpr std::uintptr_t alignment = 16;
  return std::ranges::all_of(places_, [&](const Place& place) {
    if (place.data == nullptr) return true;
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(place.data) % alignment == 0;
    return place.dtype == dtype && is_aligned && (sizes_.empty() || place.strides[0] == size);
  });
}

bool Loop::fits_32_bits() const noexcept {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (count_ > most) return false;
  return std::ranges::all_of(places_, [&](const Place& place) {
    std::int64_t last = 0;
    for (std::size_t i = 0; i < sizes_.size(); ++i) last += (sizes_[i] - 1) * place.strides[i];
    return last <= most;
  });
}

void Loop::for_each_part(const std::function<void(const Loop&)>& run) const {
  if (count_ == 0 || fits_32_bits()) return run(*this);
  // Halved where a half takes most away.
  std::size_t widest = 0;
  std::int64_t reach = -1;
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    for (const Place& place : places_) {
      if (sizes_[i] < 2 || (sizes_[i] - 1) * std::max<std::int64_t>(place.strides[i], 1) <= reach) continue;
      widest = i;
      reach = (sizes_[i] - 1) * std::max<std::int64_t>(place.strides[i], 1);
    }
  }
  Loop low = *this;
  Loop high = *this;
  low.sizes_[widest] = sizes_[widest] / 2;
  high.sizes_[widest] = sizes_[widest] - low.sizes_[widest];
  for (Loop* half : {&low, &high}) half->count_ = count_ / sizes_[widest] * half->sizes_[widest];
  for (Place& place : high.places_) {
    if (place.data == nullptr) continue;
    place.data = static_cast<std::byte*>(place.data) + low.sizes_[widest] * place.strides[widest];
  }
  low.for_each_part(run);
  high.for_each_part(run);
}

}  // namespace gpucheck::tensor
