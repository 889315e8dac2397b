// Members of zip archives that are stored as they are or by deflate, as numpy.savez and numpy.savez_compressed write
// them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gdr::hostlib {

/// The members' bytes by name, in the archive's order. Throws gdr::Error, beginning with `file`, for an archive that is
/// cut off or damaged (each member has a CRC-32), and for members that are encrypted or compressed in another way.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> zip_members(std::string_view archive,
                                                                           const std::string& file);

/// An archive of these members, with the date that NumPy gives them, 1 January 1980. Throws gdr::Error if it would have
/// 4 GiB or more.
[[nodiscard]] std::string zip_of(const std::vector<std::pair<std::string, std::string>>& members);

}  // namespace gdr::hostlib
