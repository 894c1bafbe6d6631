#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace gpucheck::application {

enum class ColourChoice { automatic, always, never };

/// Opens on /dev/null what the parent has closed of stdin, stdout and stderr: the next
/// file to be opened would take its number, and get what is printed. The wrong way round,
/// so that a write still fails, and what was asked for there is not taken as reported.
void open_standard_streams();

/// True when the stream is a terminal that understands cursor movement.
bool can_redraw(std::FILE* stream);

/// `automatic` gives colour to a terminal, unless NO_COLOR or GPUCHECK_NO_COLOR is set
/// to anything but nothing, or TERM is "dumb".
bool use_colour(ColourChoice choice, std::FILE* stream);

/// Text for a person, on stdout. Files, names and drivers put anything into it: no control
/// sequence of theirs reaches the terminal. A failure shows up in `flush_output`.
/// @throws InterruptedError, as do the next and `flush_output`, when a run was asked to end and nobody reads stdout.
void print(std::string_view text);

/// A document for a program, on stdout, byte for byte. A failure shows up in `flush_output`.
void print_document(std::string_view text);

/// One line for the person at the terminal, on stderr, cleaned as `print` does.
void note(std::string_view text);

/// How far a command has come, in the place of what was shown before; nothing where stderr is not a terminal.
void show_progress(std::string_view text);
void clear_progress();

/// @throws EnvironmentError, once, when what was printed could not be written (a full disk).
void flush_output();

/// What a copy of this process prints, for this one to print: nothing where the copy does not
/// reach its end. Code of others that the copy runs may print too, and close what it likes.
class KeptOutput {
 public:
  KeptOutput();
  KeptOutput(const KeptOutput&) = delete;
  KeptOutput& operator=(const KeptOutput&) = delete;
  ~KeptOutput();

  /// In the copy: from now on `print` and `print_document` write here, and whatever else is
  /// written to stdout comes out on stderr. `flush_output` is still to be called.
  void take() const;
  /// In this process, when the copy has ended.
  [[nodiscard]] std::string text() const;

 private:
  int file_;
};

}  // namespace gpucheck::application
