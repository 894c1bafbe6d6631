#pragma once

#include "replay/formats/pickle/document.hpp"

namespace gpucheck::replay {

/// Reads the document's bytes as one pickle, protocol 2 to 5, of plain values: dict,
/// list, tuple, str, int of 64 bits, float, bool, None. Nothing is ever executed: any
/// opcode that would import, call or build something is rejected by name.
/// @throws FileError with the offset of the opcode that does not fit.
void read_pickle(Document& document, const ReadLimits& limits);

}  // namespace gpucheck::replay
