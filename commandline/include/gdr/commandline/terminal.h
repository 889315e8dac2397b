// The terminal that a stream goes to: its width, and whether it shows colours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <istream>
#include <string>
#include <string_view>

namespace gdr::commandline {

enum class Stream : std::uint8_t { output = 1, error = 2 };  // file descriptors

/// Columns of the terminal, else of the environment variable COLUMNS, else 80.
[[nodiscard]] std::size_t width_of(Stream stream);

/// True for a terminal that shows colours, unless the environment variable NO_COLOR is set and not empty
/// (https://no-color.org).
[[nodiscard]] bool shows_colour(Stream stream);

enum class Colour : std::uint8_t { bold, red, magenta, green, cyan };

/// The text in this colour (all but bold are bold, too), or as it is without `coloured`.
[[nodiscard]] std::string in_colour(Colour colour, std::string_view text, bool coloured);

/// "PROGRAM: MESSAGE" with a line feed for standard error, without control characters.
[[nodiscard]] std::string error_text(std::string_view program, std::string_view message);
/// Prints it.
void print_error(std::string_view program, std::string_view message);

/// Prints text on standard output or standard error with control characters spelled out, which names from files may
/// have. For all texts that people read; what programs read goes through write_text().
void print_text(std::string_view text);
void print_message(std::string_view text);

/// Prints diagnostics, as compilers write them, on standard error: on a terminal `error`, `warning` and `note` have
/// colours, and control characters are spelled out.
void print_diagnostics(const std::string& text);

/// Passes lines up to the end of the input to `execute`, which returns false to end before. `prompt` is shown before
/// each line; without one, nothing is. What `execute` throws as gdr::Error is shown, or passed on with place if the
/// input is a script with a name. Throws gdr::Error if the input cannot be read up to its end.
void converse(std::istream& in, const std::string& name, std::string_view prompt,
              const std::function<bool(const std::string& line)>& execute);

}  // namespace gdr::commandline
