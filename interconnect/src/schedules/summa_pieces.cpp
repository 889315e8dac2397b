// Pieces of SUMMA's blocks, and who holds them.
#include "gdr/base/error.h"
#include "gdr/interconnect/summa.h"

namespace gdr::interconnect {
namespace {

// Widths of the fields of a packed piece.
constexpr unsigned kMatrixBits = 2;
constexpr unsigned kLineBits = 13;
constexpr unsigned kLayerBits = 7;
constexpr unsigned kPartBits = 14;

}  // namespace

std::uint64_t pack(const Piece& piece) {
  std::uint64_t packed = 0;
  const auto push = [&](std::uint64_t field, unsigned bits) {
    GDR_ASSERT(field >> bits == 0, "a field of a piece fits its bits");
    packed = packed << bits | field;
  };
  push(static_cast<std::uint64_t>(piece.matrix), kMatrixBits);
  push(piece.row, kLineBits);
  push(piece.column, kLineBits);
  push(piece.layer, kLayerBits);
  push(piece.part, kPartBits);
  push(piece.parts, kPartBits);
  return packed;
}

Piece unpack(std::uint64_t packed) {
  const auto pop = [&](unsigned bits) {
    const auto field = static_cast<std::uint32_t>(packed & ((std::uint64_t{1} << bits) - 1));
    packed >>= bits;
    return field;
  };
  Piece piece;
  piece.parts = pop(kPartBits);
  piece.part = pop(kPartBits);
  piece.layer = pop(kLayerBits);
  piece.column = pop(kLineBits);
  piece.row = pop(kLineBits);
  piece.matrix = static_cast<Matrix>(pop(kMatrixBits));
  return piece;
}

Extent extent_of(const Piece& piece, std::uint64_t elements) {
  const std::uint64_t begin = elements * piece.part / piece.parts;
  return {begin, elements * (piece.part + 1) / piece.parts - begin};
}

Rank owner(const SummaPlan& plan, std::uint32_t row, std::uint32_t column) { return row * plan.side + column; }

BlockPosition position(const SummaPlan& plan, Rank rank) {
  const std::uint32_t in_layer = rank % (plan.side * plan.side);
  return {in_layer / plan.side, in_layer % plan.side, rank / (plan.side * plan.side)};
}

}  // namespace gdr::interconnect
