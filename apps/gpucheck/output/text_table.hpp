#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace gpucheck::application {

using TextRow = std::vector<std::string>;

/// Rows of cells in aligned columns two spaces apart, each line after `indent`. The first
/// `left_columns` are aligned left, the others right. Cells are valid UTF-8; a row may be
/// shorter than the others.
std::string text_table(const std::vector<TextRow>& rows, std::size_t left_columns = 1, const std::string& indent = "");

}  // namespace gpucheck::application
