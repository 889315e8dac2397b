// Assignments of sections of arrays, which are no C.
#pragma once

#include <string>

namespace gdr::compiler {

/// The program with the assignment behind each xmp gmove in the directive's own line, since sections of arrays are no
/// C. Lines keep their numbers.
[[nodiscard]] std::string assignments_in_directives(const std::string& text);

}  // namespace gdr::compiler
