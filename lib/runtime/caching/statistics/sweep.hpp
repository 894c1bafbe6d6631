#pragma once

#include <span>

#include "runtime/caching/counters/change_log.hpp"
#include "runtime/caching/statistics/ledger.hpp"

namespace gpucheck::runtime::detail {

/// Raises the peaks that the sums over all arenas passed while these logs were written. They began
/// when the ledger's sums were true, and ended at one moment; no other arena counted meanwhile.
void raise_peaks(Ledger& ledger, std::span<const ChangeLog* const> logs);

}  // namespace gpucheck::runtime::detail
