#include "tensor/operators/random/support.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.hpp"
#include "tensor/iterator/loop.hpp"
#include "tensor/iterator/overlap.hpp"
#include "tensor/operators/copies/copies.hpp"

namespace gpucheck::tensor::operators::in_random {

void fill_in_order(const Tensor& self, const std::function<void(const Tensor&)>& fill) {
  require_no_internal_overlap(self);
  if (self.count() == 0) return;
  const Loop loop({Form::in_place, self}, {}, {.computed_dtype = self.dtype()});
  const auto size = static_cast<std::int64_t>(element_bytes(self.dtype()));
  const bool has_no_gaps = loop.sizes().empty() || (loop.sizes().size() == 1 && loop.places()[0].strides[0] == size);
  if (has_no_gaps) {
    fill(self.with_geometry({{self.count()}, {1}, self.offset()}));
  } else {
    // The same elements with their dimensions in the loop's order.
    Geometry ordered{Sizes(loop.sizes().rbegin(), loop.sizes().rend()), {}, self.offset()};
    for (std::size_t i = loop.sizes().size(); i-- > 0;) ordered.strides.push_back(loop.places()[0].strides[i] / size);
    const Tensor elements = make_empty(ordered.sizes, self.dtype(), self.device());
    fill(elements.with_geometry({{elements.count()}, {1}, 0}));
    copy_(self.with_geometry(ordered), elements);
  }
  self.count_write();
}

runtime::Generator& device_generator(GeneratorChoice choice, Device device) {
  if (choice.host != nullptr) {
    throw Error("Expected a 'cuda' device type for generator but found 'cpu'");
  }
  if (choice.device == nullptr) return runtime::default_generator(device.runtime());
  if (&choice.device->runtime() != &device.runtime()) {
    throw Error(fmt::format("Expected a '{}' generator device but found '{}'", device.text(),
                            Device(choice.device->runtime()).text()));
  }
  return *choice.device;
}

HostGenerator& host_generator(GeneratorChoice choice) {
  if (choice.device != nullptr) throw Error("Expected a 'cpu' device type for generator but found 'cuda'");
  return choice.host != nullptr ? *choice.host : default_host_generator();
}

}  // namespace gpucheck::tensor::operators::in_random
