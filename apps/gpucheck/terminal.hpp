#pragma once

#include <cstdio>
#include <string_view>

namespace gpucheck::application {

enum class ColourChoice { automatic, always, never };

/// Opens on /dev/null what the parent has closed of stdin, stdout and stderr: the next
/// file to be opened would take its number, and get what is printed. The wrong way round,
/// so that a write still fails, and what was asked for there is not taken as told.
void open_standard_streams();

/// True when the stream is a terminal that understands cursor movement.
bool can_redraw(std::FILE* stream);

/// `automatic` gives colour to a terminal, unless NO_COLOR or GPUCHECK_NO_COLOR is set
/// to anything but nothing, or TERM is "dumb".
bool use_colour(ColourChoice choice, std::FILE* stream);

/// Text for a person, on stdout. Files, names and drivers put anything into it: no control
/// sequence of theirs reaches the terminal. A failure shows up in `flush_output`.
void print(std::string_view text);

/// A document for a program, on stdout, byte for byte. A failure shows up in `flush_output`.
void print_document(std::string_view text);

/// One line for the person at the terminal, on stderr, cleaned as `print` does.
void note(std::string_view text);

/// How far a command has come, in the place of what was shown before; nothing where stderr is no terminal.
void show_progress(std::string_view text);
void clear_progress();

/// @throws EnvironmentError, once, when what was printed could not be written (a full disk).
void flush_output();

}  // namespace gpucheck::application
