#pragma once

#include <string>
#include <string_view>
#include <vector>

/// A topic of the manual: Markdown, cut down to what a terminal and a manual page can show alike. README.md says what
/// is allowed. Text holds `code` and **strong** words, which whoever renders it reads with `spans_of`.
namespace gpucheck::application {

enum class BlockKind {
  heading,
  paragraph,
  item,  ///< of a list
  row,   ///< of a table: a term and what it means
  code,  ///< lines as they are
};

struct Block {
  BlockKind kind = BlockKind::paragraph;
  std::string text;
  std::string term = {};  ///< of a row
  std::string mark = {};  ///< of code: what stands behind the fence
};

struct Topic {
  std::string name;
  std::string summary;  ///< one line
  std::vector<Block> blocks;
};

/// @throws Error with file and line for what is not allowed: a mistake in the binary, found by its tests.
Topic parse_topic(std::string_view path, std::string_view text);

/// Name and summary alone. @throws as `parse_topic`.
Topic topic_title(std::string_view path, std::string_view text);

enum class Style { plain, code, strong };

/// Text of one style.
struct Span {
  Style style = Style::plain;
  std::string_view text;
};

/// Views into `text`. A mark without its twin is text.
std::vector<Span> spans_of(std::string_view text);

}  // namespace gpucheck::application
