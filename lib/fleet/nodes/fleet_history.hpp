#pragma once

#include <vector>

#include "fleet/history/history_record.hpp"

namespace gpucheck::fleet {

struct Fleet;
struct KeptRun;

/// What the fleet's GPUs that have a UUID measured, for the merges that come. Call when the fleet was judged.
HistoryRecord record_of(const Fleet& fleet);

/// Looks for GPUs that are worse than they were themselves, and adds them to the fleet's suspects: its node is not
/// judged until it was measured again. A drift is confirmed where the second measurement is nearer to what the GPU was
/// since than to what it was before.
/// @param past records of earlier merges, in any order.
/// @param again runs of a second measurement.
void find_drifting(Fleet& fleet, const std::vector<HistoryRecord>& past, const std::vector<KeptRun>& again);

}  // namespace gpucheck::fleet
