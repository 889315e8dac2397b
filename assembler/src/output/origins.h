// Origins of a program's lines: uses of macros and iterations of repeats, and the expanded text of each line.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "encode/code.h"

namespace gdr::assembler {

/// Adds to a program the origins that its positions refer to, each once.
class Origins {
 public:
  /// Keeps references to all. `made_from` is that of the options; its files are found among those of the program.
  Origins(const Reporter& reporter, isa::Program& program,
          const std::map<std::uint32_t, std::vector<WrittenPlace>>& made_from)
      : reporter_(reporter), program_(program), made_from_(made_from) {}

  [[nodiscard]] isa::SourcePosition position_of(const Place& place);
  /// The places of a line whose operations come from several places in another language, without the first, which is
  /// position_of().
  struct Further {
    isa::SourcePosition position;
    isa::UnitBits units = 0;
  };
  [[nodiscard]] std::vector<Further> further_positions_of(const Place& place);
  /// The values of variables of another language that the operations of a line compute.
  [[nodiscard]] std::vector<WrittenValue> values_of(const Place& place) const;
  /// True if a compiler made the line from places in another language.
  [[nodiscard]] bool is_made(const Place& place) const { return written(place) != nullptr; }

 private:
  [[nodiscard]] std::uint32_t number_of(std::uint32_t origin);
  [[nodiscard]] const std::vector<WrittenPlace>* written(const Place& place) const;
  [[nodiscard]] isa::SourcePosition position_of(const WrittenPlace& written, std::uint32_t origin);
  /// Number of the function that holds a place; the functions that call it are entered before it.
  [[nodiscard]] std::uint32_t function_of(const WrittenPlace& written);
  /// The origin of what was made with a line of the assembled source, which has no other origin.
  [[nodiscard]] std::uint32_t number_of_line(const Place& place);

  const Reporter& reporter_;
  isa::Program& program_;
  const std::map<std::uint32_t, std::vector<WrittenPlace>>& made_from_;
  std::map<std::uint32_t, std::uint32_t> numbers_;   // by the number that the reporter gave it
  std::map<std::uint32_t, std::uint32_t> of_lines_;  // by the line's number
};

/// Adds to `files` those that the places name, with their texts.
void add_written_files(const std::map<std::uint32_t, std::vector<WrittenPlace>>& made_from,
                       std::vector<SourceFile>& files);

/// The expanded texts of those lines whose text differs from that in their file, ordered by source position. The lines
/// are those of the source, before the scheduler has moved any operation.
[[nodiscard]] std::vector<isa::ExpandedText> expanded_texts(const SectionCode& code, const Symbols& symbols,
                                                            std::span<const SourceFile> files, Origins& origins);

}  // namespace gdr::assembler
