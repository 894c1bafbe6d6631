#include "application.hpp"
#include "cases/acceptance.hpp"
#include "cases/durations.hpp"
#include "cases/registry.hpp"
#include "golden_files.hpp"
#include "output/error_report.hpp"

int main(int argc, char** argv) {
  using namespace gpucheck;
  try {
    const harness::Registry registry(cases::all());
    return application::run_application(
        argc, argv, registry, [] { return golden::GoldenSet::from_embedded(embedded_goldens()); },
        [] { return harness::Durations::parse(embedded_durations().front().text); },
        [] { return embedded_acceptance().front().text; });
  } catch (const std::exception& error) {  // two cases of one name: a mistake in the binary itself
    return application::report_error(error);
  }
}
