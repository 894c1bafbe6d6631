#pragma once

#include <string>

#include "harness/run/events.hpp"

namespace gpucheck::report {

/// A made-up run in which every outcome, a retry of each kind, a repetition and a case
/// that was never reached occur.
void play_sample_run(harness::EventSink& sink);
/// Its journal, as a file holds it.
std::string sample_journal();

harness::RunStarted sample_start();
harness::RunFinished sample_end();

}  // namespace gpucheck::report
