#include "help/topic_text.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/sanitize.hpp"

namespace gpucheck::application {

namespace {

constexpr std::string_view bold = "\x1b[1m";
constexpr std::string_view underlined = "\x1b[4m";
constexpr std::string_view normal = "\x1b[0m";

/// What is printed, and how many columns of it a terminal shows.
struct Word {
  std::string text;
  std::size_t width = 0;
};

class TextWriter {
 public:
  TextWriter(std::size_t columns, bool with_styles) : columns_(columns), with_styles_(with_styles) {}

  void write(const Block& block, BlockKind previous) {
    const bool is_list = block.kind == BlockKind::item || block.kind == BlockKind::row;
    if (!is_list || block.kind != previous) text_ += '\n';
    switch (block.kind) {
      case BlockKind::heading:
        return write_heading(block.text);
      case BlockKind::paragraph:
        return fill(block.text, indent);
      case BlockKind::item:
        return write_item(block.text);
      case BlockKind::row:
        return write_row(block);
      case BlockKind::code:
        return write_code(block.text);
    }
  }

  void write_heading(std::string_view text) { text_ += styled(Style::strong, text) + "\n"; }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  static constexpr std::size_t indent = 2;
  static constexpr std::size_t meaning_column = 22;

  void write_item(std::string_view text) {
    text_ += "  - ";
    fill(text, indent + 2, indent + 2);
  }

  void write_row(const Block& block) {
    const std::size_t start = text_.size();
    fill(block.term, indent);
    text_.pop_back();  // the meaning begins on the line on which the term ends, where that leaves room
    const std::size_t line = text_.rfind('\n') + 1;
    const std::size_t width = shown_columns(std::string_view(text_).substr(std::max(start, line)));
    if (width + 2 <= meaning_column) {
      text_.append(meaning_column - width, ' ');
      return fill(block.text, meaning_column, meaning_column);
    }
    text_ += '\n';
    fill(block.text, meaning_column);
  }

  void write_code(std::string_view lines) {
    while (!lines.empty()) {
      const std::size_t end = lines.find('\n');
      if (end > 0) text_.append(indent + 2, ' ');
      text_ += styled(Style::code, lines.substr(0, end));
      text_ += '\n';
      lines = lines.substr(end + 1);
    }
  }

  /// Lines of whole words, each after `left` spaces; of the first line `used` columns are already there.
  void fill(std::string_view text, std::size_t left, std::size_t used = 0) {
    const std::size_t right = std::max(columns_, left + 20);
    std::size_t column = used;
    for (const Word& word : words_of(text)) {
      const bool is_first = column == used || column == left;
      if (!is_first && column + 1 + word.width > right) {
        text_ += '\n';
        column = 0;
      }
      if (column < left) {
        text_.append(left - column, ' ');
        column = left;
      } else if (column > left) {
        text_ += ' ';
        ++column;
      }
      text_ += word.text;
      column += word.width;
    }
    text_ += '\n';
  }

  /// Words as they stand between spaces; one may have parts in several styles.
  [[nodiscard]] std::vector<Word> words_of(std::string_view text) const {
    std::vector<Word> words(1);
    for (const Span& span : spans_of(text)) {
      // Without styles the marks of code stay: they tell `of` from the word.
      const std::string marked = "`" + std::string(span.text) + "`";
      std::string_view rest = span.style == Style::code && !with_styles_ ? std::string_view(marked) : span.text;
      while (true) {
        const std::size_t space = rest.find(' ');
        const std::string_view part = rest.substr(0, space);
        if (!part.empty()) words.back().text += styled(span.style, part);
        words.back().width += columns(part);
        if (space == std::string_view::npos) break;
        if (words.back().width > 0) words.emplace_back();
        rest = rest.substr(space + 1);
      }
    }
    if (words.back().width == 0) words.pop_back();
    return words;
  }

  [[nodiscard]] std::string styled(Style style, std::string_view text) const {
    if (!with_styles_ || style == Style::plain) return std::string(text);
    std::string result(style == Style::strong ? bold : underlined);
    result += text;
    result += normal;
    return result;
  }

  /// Columns of a line without the control sequences in it.
  [[nodiscard]] static std::size_t shown_columns(std::string_view line) { return columns(clean_text(line)); }

  std::size_t columns_;
  bool with_styles_;
  std::string text_;
};

}  // namespace

std::string topic_text(const Topic& topic, std::size_t columns, bool with_styles) {
  TextWriter writer(columns, with_styles);
  writer.write_heading(topic.name + ": " + topic.summary);
  BlockKind previous = BlockKind::heading;
  for (const Block& block : topic.blocks) {
    writer.write(block, previous);
    previous = block.kind;
  }
  return writer.take();
}

}  // namespace gpucheck::application
