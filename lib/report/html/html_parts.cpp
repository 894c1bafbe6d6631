#include "report/html/html_parts.hpp"

#include <cmath>
#include <fmt/format.h>

#include "report/html/html_page.hpp"

namespace gpucheck::report {

std::string html_standing(Standing standing, std::string_view word) {
  const std::string_view kind = standing == Standing::failed                                   ? "failed"
                                : standing == Standing::unjudged                               ? "not_judged"
                                : standing == Standing::passed || standing == Standing::warned ? "passed"
                                                                                               : "faint";
  return fmt::format("<span class=\"verdict {}\">{}{}</span>", kind, html_line(word),
                     standing == Standing::warned   ? ", warned"
                     : standing == Standing::waived ? ", waived"
                                                    : "");
}

std::string html_number(double value) {
  return fmt::format("<td class=\"number\" data-value=\"{}\">{:.4g}</td>", std::isfinite(value) ? value : 0, value);
}

}  // namespace gpucheck::report
