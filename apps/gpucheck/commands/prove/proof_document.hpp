#pragma once

#include <string>

#include "runner/proof/proof.hpp"

namespace gpucheck::application {

/// "gpucheck.proof/1"
std::string proof_document(const runner::Proof& proof);

}  // namespace gpucheck::application
