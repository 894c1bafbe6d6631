#pragma once

#include <string>

#include "replay/analysis/growth.hpp"

namespace gpucheck::application {

/// For a person: what grew from one snapshot to the other, by stack.
std::string growth_text(const replay::Growth& growth, const std::string& before, const std::string& after);

/// "gpucheck.snapshot_growth/1": the same.
std::string growth_document(const replay::Growth& growth, const std::string& before, const std::string& after);

}  // namespace gpucheck::application
