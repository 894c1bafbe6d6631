#pragma once

#include <string>
#include <string_view>

#include "help/topic.hpp"

/// Manual pages (roff with the macros of man(7)).
namespace gpucheck::application {

class ManualPage {
 public:
  /// @param name as in "NAME(SECTION)"; `summary` is one line.
  ManualPage(std::string_view name, int section, std::string_view version, std::string_view summary);

  void section(std::string_view heading);
  void subsection(std::string_view heading);
  void paragraph(std::string_view text);
  /// A term and its meaning. Both hold marks, as topics do.
  void entry(std::string_view term, std::string_view meaning);
  void item(std::string_view text);
  void code(std::string_view lines);

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  void macro(std::string_view name, std::string_view argument);
  void line(std::string_view text);

  std::string text_;
};

/// gpucheck-TOPIC(7).
std::string topic_page(const Topic& topic, std::string_view version);

}  // namespace gpucheck::application
