#include <algorithm>
#include <fmt/format.h>

#include "commands.hpp"
#include "documents.hpp"
#include "selection.hpp"

namespace gpucheck::application {

int list(const Environment& environment, const ListOptions& options) {
  // Reading golden files takes time; here they only tell a name to leave out from a mistyped one.
  const golden::GoldenSet goldens =
      options.selection.excluded.empty() ? golden::GoldenSet::from_embedded({}) : environment.embedded_goldens();
  const std::vector<const harness::Case*> cases = select_cases(environment.registry, goldens, options.selection);
  if (options.json) {
    print_document(list_document(cases));
    return 0;
  }
  std::size_t width = 0;
  for (const harness::Case* test_case : cases) width = std::max(width, test_case->name.size());
  for (const harness::Case* test_case : cases) {
    print(options.plain ? fmt::format("{}\n", test_case->name)
                        : fmt::format("{:<{}}  {}\n", test_case->name, width, test_case->summary));
  }
  return 0;
}

}  // namespace gpucheck::application
