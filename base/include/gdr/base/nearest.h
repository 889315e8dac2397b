// Suggestions for names that were mistyped: "did you mean 'model1800'?".
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gdr::base {

/// The smallest number of letters to insert, delete, replace, or swap with their neighbour to turn `a` into `b`
/// (optimal string alignment).
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The one of `known` that was probably meant by `word`; nothing if none is similar. Capital letters, dashes and
/// underscores count as equal to small letters and to nothing: `tend` and `T_end` are `t-end`. A beginning of at least
/// two letters that only one of `known` has is similar, too; else at most a third of the letters may differ, as in
/// cargo. Of several that are as near the first one is returned.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

/// "; did you mean 'NAME'?", or an empty text if none of `known` is similar: for the end of an error message.
[[nodiscard]] std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace gdr::base
