#include "tensor/call/layer.hpp"

#include <bit>
#include <fmt/format.h>

#include "base/error.hpp"

namespace gpucheck::tensor {

void Next::operator()(Call& call) const {
  const unsigned left = behind_ & detail::active_layers.mask;
  if (left == 0) {
    // What the operator is made of passes the layers, where it is made of others.
    if (call.entry.traits.is_composite) return call.entry.run(call);
    const LayersExcluded excluded = LayersExcluded::all_but_observe();
    return call.entry.run(call);
  }
  const auto place = static_cast<unsigned>(std::countr_zero(left));
  detail::active_layers.layers[place]->call(call, Next(~((2U << place) - 1)));
}

void call_through_layers(Call& call) { Next(~0U)(call); }

std::vector<Value> call_boxed(const Entry& entry, std::vector<Value> arguments) {
  if (arguments.size() != entry.schema.argument_count) {
    throw Error(fmt::format("{} takes {} arguments, not {}", entry.schema.qualified_name(), entry.schema.argument_count,
                            arguments.size()));
  }
  std::vector<Value> results(entry.schema.result_count);
  Call call{entry, arguments, results};
  if (detail::active_layers.mask == 0) {
    entry.run(call);
  } else {
    call_through_layers(call);
  }
  return results;
}

}  // namespace gpucheck::tensor
