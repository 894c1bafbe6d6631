#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace gpucheck::observe::test {

/// What a trace breaks of the Trace Event Format's rules, one line each: fields that every
/// event has, slices that nest within their track, arrows whose ends lie in slices and
/// point forward in time, counters that are numbers, a name for every process and track.
std::vector<std::string> format_offences(const nlohmann::json& trace);

}  // namespace gpucheck::observe::test
