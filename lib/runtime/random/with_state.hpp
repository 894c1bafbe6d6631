#pragma once

#include <utility>

#include "runtime/random/generator.hpp"

namespace gpucheck::runtime {

/// Calls `draw` with the generator at `state`, one of its own, and puts it back to where it stood: for what is computed
/// once more and is to draw what it drew the first time, as activation checkpointing does. Also in a capture, with a
/// state of that capture; replays then draw the same numbers twice, too. @throws what `draw` throws, and as
/// `Generator::set_state` does.
template <typename Draw>
void with_state(Generator& generator, const Generator::StateBytes& state, Draw&& draw) {
  const Generator::StateBytes former = generator.state();
  generator.set_state(state);
  try {
    std::forward<Draw>(draw)();
  } catch (...) {
    generator.set_state(former);
    throw;
  }
  generator.set_state(former);
}

}  // namespace gpucheck::runtime
