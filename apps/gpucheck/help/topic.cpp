#include "help/topic.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/error.hpp"

namespace gpucheck::application {

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::string_view stem_of(std::string_view path) { return path.substr(0, path.rfind('.')); }

/// Reads line after line; what continues a block is joined to it.
class TopicReader {
 public:
  TopicReader(std::string_view path, std::string_view text) : path_(path), rest_(text) {}

  Topic title() {
    const std::string_view line = next();
    const std::size_t colon = line.find(": ");
    if (!line.starts_with("# ") || colon == std::string_view::npos) fail("expected \"# NAME: SUMMARY\"");
    Topic topic{std::string(line.substr(2, colon - 2)), std::string(line.substr(colon + 2)), {}};
    if (topic.name != stem_of(path_)) fail("the name differs from the file's");
    return topic;
  }

  std::vector<Block> blocks() {
    while (!rest_.empty()) read(next());
    return std::move(blocks_);
  }

 private:
  void read(std::string_view line) {
    if (trimmed(line).empty()) {
      continues_ = in_table_ = false;
    } else if (line.starts_with("```")) {
      read_code(line.substr(3));
    } else if (line.starts_with("## ")) {
      add({BlockKind::heading, std::string(line.substr(3))}, false);
    } else if (line.starts_with('|')) {
      read_row(line);
    } else if (line.starts_with("- ")) {
      add({BlockKind::item, std::string(line.substr(2))}, true);
    } else if (continues_) {
      blocks_.back().text += ' ';
      blocks_.back().text += trimmed(line);
    } else if (line.front() == ' ' || line.front() == '#') {
      fail("only paragraphs, lists, tables and code are allowed here");
    } else {
      add({BlockKind::paragraph, std::string(line)}, true);
    }
  }

  void read_code(std::string_view mark) {
    Block block{BlockKind::code, "", "", std::string(mark)};
    for (std::string_view line = next(); line != "```"; line = next()) {
      if (rest_.empty()) fail("the code has no end");
      block.text += line;
      block.text += '\n';
    }
    add(std::move(block), false);
  }

  /// The first two lines of a table are its head, which only Markdown needs.
  void read_row(std::string_view line) {
    if (!std::exchange(in_table_, true)) {
      if (next() != "|---|---|") fail("a table has two columns");
      return;
    }
    const std::size_t bar = line.find(" | ");
    if (!line.starts_with("| ") || !line.ends_with(" |") || bar > line.size() - 4) fail("a row has two cells");
    const std::string_view meaning = line.substr(bar + 3, line.size() - bar - 5);
    if (meaning.find(" | ") != std::string_view::npos) fail("a row has two cells");
    add({BlockKind::row, std::string(trimmed(meaning)), std::string(trimmed(line.substr(2, bar - 2)))}, false);
  }

  void add(Block block, bool continues) {
    blocks_.push_back(std::move(block));
    continues_ = continues;
  }

  std::string_view next() {
    ++line_number_;
    const std::size_t end = rest_.find('\n');
    const std::string_view line = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end + 1);
    return line;
  }

  [[noreturn]] void fail(std::string_view reason) const {
    throw Error(fmt::format("{}:{}: {}", path_, line_number_, reason));
  }

  std::string_view path_;
  std::string_view rest_;
  std::size_t line_number_ = 0;
  std::vector<Block> blocks_;
  bool continues_ = false;  ///< the next line may go on with the last block
  bool in_table_ = false;
};

}  // namespace

Topic topic_title(std::string_view path, std::string_view text) { return TopicReader(path, text).title(); }

Topic parse_topic(std::string_view path, std::string_view text) {
  TopicReader reader(path, text);
  Topic topic = reader.title();
  topic.blocks = reader.blocks();
  return topic;
}

std::vector<Span> spans_of(std::string_view text) {
  std::vector<Span> spans;
  const auto add = [&spans](Style style, std::string_view words) {
    if (!words.empty()) spans.push_back({style, words});
  };
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t at = std::min(text.find('`', from), text.find("**", from));
    const std::string_view mark = text.substr(std::min(at, text.size()), at < text.size() && text[at] == '`' ? 1 : 2);
    const std::size_t end = mark.empty() ? std::string_view::npos : text.find(mark, at + mark.size());
    if (end == std::string_view::npos) break;
    add(Style::plain, text.substr(from, at - from));
    add(mark == "`" ? Style::code : Style::strong, text.substr(at + mark.size(), end - at - mark.size()));
    from = end + mark.size();
  }
  add(Style::plain, text.substr(from));
  return spans;
}

}  // namespace gpucheck::application
