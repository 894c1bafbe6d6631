#include "runtime/caching/tests/allocator_trace.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace gpucheck::runtime::test {
namespace {

void read_changes(std::istream& in, TracedFigures& figures) {
  std::array<std::int64_t, std::tuple_size_v<TracedFigures>> changes{};
  bool active_bytes_given = false;
  bool active_given = false;
  char letter = 0;
  std::int64_t change = 0;
  while (in >> letter >> change) {
    changes.at(static_cast<std::size_t>(letter - 'A')) = change;
    active_bytes_given = active_bytes_given || letter == 'C';
    active_given = active_given || letter == 'H';
  }
  if (!active_bytes_given) changes[2] = changes[0];
  if (!active_given) changes[7] = changes[6];
  for (std::size_t i = 0; i < figures.size(); ++i) figures[i] += changes[i];
}

TracedStep read_step(char call, std::istream& in, TracedFigures& figures) {
  TracedStep step;
  step.call = call;
  if (call == 'a') in >> step.id >> step.bytes >> step.stream;
  if (call == 'f' || call == 'd' || call == 'b' || call == 'n') in >> step.id;
  if (call == 'm') in >> step.id >> step.text;
  if (call == 'x' || call == 'p') in >> step.id;
  if (call == 'g') in >> step.id >> step.other;
  if (call == 'l') in >> step.bytes;
  if (call == 'c') in >> step.text;
  if (call == 'r') in >> step.id >> step.stream;
  std::string word;
  in >> word;
  if (word == "oom") {
    step.out_of_memory = true;
    in >> word;
  }
  if (word != "|") throw std::runtime_error("no '|' in a step");
  if (call == 'z') figures[9] = figures[10] = 0;  // the counters, retries and times out of memory
  step.is_recorded = (in >> std::ws).peek() != '?';
  if (step.is_recorded) read_changes(in, figures);
  step.after = figures;
  return step;
}

TracedSegment read_segment(std::istream& in) {
  TracedSegment segment;
  std::string kind;
  in >> segment.size >> segment.on_default_stream >> kind;
  segment.is_large = kind == "large";
  TracedBlock block;
  char colon = 0;
  char state = 0;
  while (in >> block.size >> colon >> block.requested >> colon >> state) {
    block.allocated = state == 'a';
    segment.blocks.push_back(block);
  }
  return segment;
}

AllocatorTrace read_heading(std::istream& in) {
  AllocatorTrace trace;
  in >> trace.name >> trace.streams >> trace.limit_bytes >> trace.settings;
  return trace;
}

}  // namespace

void PrintTo(const TracedSegment& segment, std::ostream* out) {
  *out << segment.size << ' ' << segment.on_default_stream << ' ' << (segment.is_large ? "large" : "small");
  for (const TracedBlock& block : segment.blocks) {
    *out << ' ' << block.size << ':' << block.requested << ':' << (block.allocated ? 'a' : 'i');
  }
}

void read_lines(const std::string& path, const ReadLine& read) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    std::istringstream in(line);
    std::string word;
    if (in >> word && word[0] != '#') read(word, in, number);
  }
}

std::vector<AllocatorTrace> load_traces(const std::string& path) {
  std::vector<AllocatorTrace> traces;
  TracedFigures figures{};
  read_lines(path, [&](const std::string& word, std::istream& in, int number) {
    if (word == "trace") {
      traces.push_back(read_heading(in));
      figures = {};
    } else if (word == "end") {
      std::string key;
      in >> key;
      in >> traces.back().final_statistics[key];
    } else if (word == "segment") {
      traces.back().final_segments.push_back(read_segment(in));
    } else {
      traces.back().steps.push_back(read_step(word[0], in, figures));
      traces.back().steps.back().line = number;
    }
  });
  return traces;
}

}  // namespace gpucheck::runtime::test
