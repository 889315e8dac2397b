// Files that one process of a user leaves for the next ones. They are read only if nobody else can have written them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace gdr::base {

/// The folder that GDR_CACHE_DIR names, or else `gdr` in XDG_CACHE_HOME or ~/.cache; nothing if none of them names a
/// folder by an absolute path. It need not exist.
[[nodiscard]] std::optional<std::filesystem::path> user_cache();

/// True if `folder` is a folder, no link to one, that belongs to this user and that nobody else can write to.
[[nodiscard]] bool is_private_folder(const std::filesystem::path& folder);

/// Makes `folder` and those above it if they are missing. True if it is private then, and this user can write to it.
[[nodiscard]] bool make_private_folder(const std::filesystem::path& folder);

/// Content of a regular file of at most `most` bytes that belongs to this user and that nobody else can write to;
/// nothing for all other files.
[[nodiscard]] std::optional<std::string> read_private_file(const std::filesystem::path& path, std::uint64_t most);

/// Removes the oldest of the entries of a cache, files called by 64 hexadecimal digits and `extension`, until `most`
/// are left. Other files stay: the folder may be one that somebody named, with files of that person.
void remove_oldest_entries(const std::filesystem::path& folder, std::string_view extension, std::size_t most);

}  // namespace gdr::base
