#include "cases/registry.hpp"

#include "cases/cases.hpp"

namespace gpucheck::cases {

std::vector<harness::Case> all() {
  return {
      alloc::fuzz(),
      alloc::oom_message(),
      alloc::oom_retry(),
      assertion::assert_async(),
      assertion::index_out_of_bounds(),
      assertion::multinomial_invalid_probs(),
      device_group::check_error(),
      graph::capture_simple(),
      graph::default_stream_capture_refused(),
      graph::empty_graph_warning(),
      graph::reset_and_recapture(),
      host::lazy_init(),
  };
}

}  // namespace gpucheck::cases
