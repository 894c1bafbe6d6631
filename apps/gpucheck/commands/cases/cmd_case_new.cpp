#include <fmt/format.h>

#include "base/text/shell_text.hpp"
#include "commands/commands.hpp"
#include "output/terminal.hpp"
#include "site/new_case.hpp"

namespace gpucheck::application {

int case_new(const Environment& /*environment*/, const CaseNewOptions& options) {
  std::string text;
  for (const std::string& path : site::write_example(options.name, options.language, options.folder)) {
    text += path + "\n";
  }
  print(fmt::format("{}\nrun it:  gpucheck run {} --cases {} --device sim\n", text, options.name,
                    shell_quoted(options.folder)));
  return 0;
}

}  // namespace gpucheck::application
