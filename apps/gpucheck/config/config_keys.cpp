#include "config/config_keys.hpp"

#include <algorithm>
#include <limits>

#include "input/run_options.hpp"
#include "input/selection.hpp"

namespace gpucheck::application {

namespace {

using Type = ConfigKey::Type;

std::vector<std::string_view> suite_names() {
  std::vector<std::string_view> names;
  for (const Suite& suite : suites()) names.push_back(suite.name);
  return names;
}

std::vector<ConfigKey> make_keys() {
  return {
      {"suite", "--suite", Type::text, "a named selection of cases", 0, 0, suite_names()},
      {"exclude", "--exclude", Type::texts, "cases, groups or globs to leave out"},
      {"no_cases",
       "--no-cases",
       Type::text,
       "what it means that nothing is left to run",
       0,
       0,
       {"pass", "warn", "fail"}},
      {"cases", "--cases", Type::paths, "folders of cases of the site's own"},
      {"parameters", "--parameter", Type::parameters, "a value for every selected case that has the parameter"},
      {"device", "--device", Type::text, "the devices to run on"},
      {"allocator", "--allocator", Type::text, "caching, async, or a library, relative to this file's folder"},
      {"rendezvous", "--rendezvous", Type::text,
       "where the processes of a job find each other: tcp://HOST:PORT or a folder"},
      {"seed", "--seed", Type::whole_number, "decides shuffling, what cases draw, and the simulator's interleaving", 0,
       std::numeric_limits<std::int64_t>::max()},
      {"jobs", "--jobs", Type::whole_number, "cases side by side on each device; 0: by the machine", 0, 1024},
      {"isolate",
       "--isolate",
       Type::text,
       "worker: processes serve case after case; process: a new one for each",
       0,
       0,
       {"worker", "process"}},
      {"shuffle", "--shuffle", Type::truth, "run in an order that the seed decides"},
      {"repeat", "--repeat", Type::whole_number, "how often the selection is run", 1, max_count},
      {"timeout", "--timeout", Type::text, "time limit of a case instead of its own deadline, such as 5s"},
      {"deadline", "--deadline", Type::text, "time limit of the whole run, such as 10min"},
      {"deadline_skips_ok", "--deadline-skips-ok", Type::truth,
       "what does not fit into the deadline is a skip like any other"},
      {"retries", "--retries", Type::whole_number, "how often a case that is not a pass is tried again", 0, max_count},
      {"remeasure", "--remeasure", Type::whole_number, "how often a case that failed by speed alone is measured again",
       0, max_count},
      {"fail_fast", "--fail-fast", Type::truth, "stop after the first case that is neither a pass nor a skip"},
      {"max_skips", "--max-skips", Type::whole_number, "more skips than this and the run counts as not judged", 0,
       max_count},
      {"skip_exit_code", "--skip-exit-code", Type::whole_number, "exit code when every case that ran was skipped", 0,
       255},
      {"golden", "--golden", Type::path, "folder of golden files instead of those built in"},
      {"limits", "--limits", Type::path, "limits of measured values that go before those built in"},
      {"waivers", "--waivers", Type::path, "failures that are known"},
      {"outputs", "--output", Type::outputs, "reports: a file for each format"},
      {"no_journal", "--no-journal", Type::truth, "no journal beside the JSON report"},
      {"trace", "--trace", Type::path, "folder for a trace of each case"},
      {"quiet", "--quiet", Type::truth, "print only what is not a plain pass, and the last line"},
      {"verbose", "--verbose", Type::truth, "print also what each case observed"},
      {"color", "--color", Type::text, "colour of the console", 0, 0, {"auto", "always", "never"}},
  };
}

}  // namespace

std::span<const ConfigKey> config_keys() {
  static const std::vector<ConfigKey> keys = make_keys();
  return keys;
}

const ConfigKey* find_config_key(std::string_view name) {
  const std::span<const ConfigKey> keys = config_keys();
  const auto found = std::ranges::find(keys, name, &ConfigKey::name);
  return found == keys.end() ? nullptr : &*found;
}

}  // namespace gpucheck::application
