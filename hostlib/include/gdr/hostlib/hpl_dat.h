// HPL.dat, the input file of High Performance LINPACK, as HPL 2.3 reads it (Petitet et al. 2018, HPL_pdinfo.c), and the
// runs that it asks for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gdr {

/// Where a panel factorisation looks: at columns to the left, at both, or at columns to the right.
enum class HplFactorisation : std::uint8_t { left, crout, right };

/// P rows and Q columns of ranks.
struct HplGrid {
  std::uint64_t rows = 1;
  std::uint64_t columns = 1;
};

/// One line of HPL's table.
struct HplRun {
  std::uint64_t n = 0;
  std::uint64_t nb = 1;
  HplGrid grid;
  bool column_major = false;  // how ranks are put on the grid
  std::uint64_t depth = 0;    // of the look-ahead
  std::uint64_t broadcast = 0;
  HplFactorisation recursive = HplFactorisation::left;
  std::uint64_t parts = 2;  // of a panel, in each step of the recursion
  HplFactorisation panel = HplFactorisation::left;
  std::uint64_t narrowest = 1;  // columns that the recursion stops at
  /// The first column of HPL's table, such as WR11C2R4.
  [[nodiscard]] std::string variant() const;
};

/// The parameters of HPL.dat, in the order of its lines. `name` and `device` are read and not used, as in hpcc.
struct HplDat {
  std::string name;
  std::uint64_t device = 6;
  std::vector<std::uint64_t> n;
  std::vector<std::uint64_t> nb;
  bool column_major = false;
  std::vector<HplGrid> grids;
  double threshold = 16;  // of the residual; at most 0: nothing is checked
  std::vector<HplFactorisation> panels;
  std::vector<std::uint64_t> narrowest;
  std::vector<std::uint64_t> parts;
  std::vector<HplFactorisation> recursive;
  std::vector<std::uint64_t> broadcasts;
  std::vector<std::uint64_t> depths;
  std::uint64_t swap = 0;            // 0: binary exchange, 1: long, 2: mix
  std::uint64_t swap_threshold = 0;  // columns, of mix
  bool l1_transposed = true;
  bool u_transposed = true;
  bool equilibration = true;
  std::uint64_t alignment = 4;  // doubles
  /// What HPL reads differently from how it looks, as `FILE:LINE: ...`: values that it replaces without a word.
  std::vector<std::string> notes;

  /// All combinations, in the order in which HPL runs them. Throws gdr::Error for more than kMostRuns.
  [[nodiscard]] std::vector<HplRun> runs() const;
  static constexpr std::size_t kMostRuns = 100000;
};

/// Reads lines 1 to 31; what follows, as hpcc's own lines do, is ignored. Like HPL, it takes the first word of a line,
/// or as many words as the line before says; the rest of the line is text. Throws gdr::Error `NAME:LINE: ...` with the
/// value and what is allowed if HPL would stop there, and also where HPL reads a word that is no number as 0, a line
/// that is too long for it as two, or a missing line as the one before.
[[nodiscard]] HplDat parse_hpl_dat(std::string_view text, const std::string& name);
[[nodiscard]] HplDat read_hpl_dat(const std::filesystem::path& file);

}  // namespace gdr
