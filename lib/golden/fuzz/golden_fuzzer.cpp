#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "golden/golden.hpp"

using gpucheck::golden::Conditions;
using gpucheck::golden::Golden;
using gpucheck::harness::Observations;

namespace {

const Observations& one_of_each_kind() {
  static const Observations observations = {{"ok", true},
                                            {"count", std::int64_t{3}},
                                            {"ratio", 0.5},
                                            {"message", std::string("CUDA out of memory. Tried to allocate 20.00 MiB")},
                                            {"flags", std::vector<bool>{true, false}},
                                            {"sizes", std::vector<std::int64_t>{1, 2}},
                                            {"losses", std::vector<double>{0.25, 4}},
                                            {"names", std::vector<std::string>{"a", "b"}}};
  return observations;
}

}  // namespace

// Whatever the file: it is rejected in words, or can be used; and no file is so wide that
// a case which observed nothing matches it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The only way to view bytes as characters.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const Golden golden = Golden::parse(text, "fuzz.json");
    for (const char* device : {"cuda", "sim"}) {
      static_cast<void>(golden.compare(one_of_each_kind(), Conditions{device}));
      if (golden.compare({}, Conditions{device}).empty()) std::abort();
    }
    if (golden.rows().empty()) std::abort();
  } catch (const gpucheck::golden::MalformedGolden&) {
    return 0;
  }
  return 0;
}
