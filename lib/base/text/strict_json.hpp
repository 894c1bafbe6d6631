#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace gpucheck {

/// JSON in which each object has each key once, nested at most `deepest` levels below its outermost: of two values of
/// one key the parser keeps the last, unnoticed, and what nests without end exhausts the stack of whoever prints it.
/// Takes time in proportion to the text.
/// @throws Error that says which rule is broken; what nlohmann throws for text that is not JSON.
nlohmann::ordered_json parse_strict_json(std::string_view text, int deepest);

}  // namespace gpucheck
