#include "tensor/core/generator.hpp"

namespace gpucheck::tensor {

HostGenerator& default_host_generator() {
  static HostGenerator generator;
  return generator;
}

}  // namespace gpucheck::tensor
