#include "application.hpp"
#include "tests/support/fixture_cases.hpp"

int main(int argc, char** argv) {
  using namespace gpucheck;
  const harness::Registry registry(application::fixture_cases::all());
  return application::run_application(
      argc, argv, registry, [] { return golden::GoldenSet::from_embedded(application::fixture_cases::goldens()); },
      [] { return harness::Durations(); }, application::fixture_cases::contract);
}
