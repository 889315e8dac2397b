#include "gdr/hostlib/dgemm.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "device/device_boards.h"
#include "gdr/base/stopping.h"
#include "gdr/emulator/host_reduction.h"
#include "gdr/hostlib/kernel_program.h"

namespace gdr {
namespace {

using emulator::kBlocks;
using emulator::kParticlesPerRun;
using emulator::kPesPerBlock;
using isa::kVectorElements;

const isa::Variable& variable_of(const isa::Program& program, std::string_view name, isa::Transfer transfer,
                                 std::size_t dimensions) {
  for (const isa::Variable& variable : program.variables) {
    if (variable.name == name && variable.transfer == transfer && variable.dimensions.size() == dimensions) {
      return variable;
    }
  }
  throw Error(fmt::format("kernel {} has no {} variable '{}' of {} dimensions: it multiplies no matrices",
                          program.kernel, isa::name_of(transfer), name, dimensions));
}

/// The part of a double that the multiplier's port takes: 50 bits of the significand.
double at_port(double value) { return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & ~std::uint64_t{7}); }

std::uint64_t field_of(double value) { return std::bit_cast<std::uint64_t>(value); }

}  // namespace

std::string_view name_of(DgemmPrecision precision) { return precision == DgemmPrecision::paper ? "paper" : "double"; }

double dgemm_error_bound(DgemmPrecision precision, std::size_t k) {
  return (precision == DgemmPrecision::paper ? 0x1p-48 + 0x1p-53 : 0x1p-52) + static_cast<double>(k) * 0x1p-60;
}

namespace {

/// The largest of the errors given to it. NaN is larger than any number, which std::max knows nothing of.
class LargestError {
 public:
  void add(long double found, long double expected, long double magnitude) {
    const long double error = std::abs(found - expected);
    const long double relative =
        magnitude > 0 ? error / magnitude : (error > 0 ? std::numeric_limits<long double>::infinity() : error);
    if (!std::isnan(largest_) && !(relative <= largest_)) largest_ = relative;
  }
  [[nodiscard]] double value() const { return static_cast<double>(largest_); }

 private:
  long double largest_ = 0;
};

/// Compares C r with A (B r) for random r, whose elements differ so that an exchange of two elements of C is seen.
void compare_weighted_rows(std::size_t m, std::size_t n, std::size_t k, const MatrixView& a, const MatrixView& b,
                           std::span<const double> c, LargestError& largest) {
  struct Sum {
    long double value = 0;
    long double magnitude = 0;
    void add(long double x, const Sum& weight) {
      value += x * weight.value;
      magnitude += std::abs(x) * weight.magnitude;
    }
  };
  std::mt19937_64 random(1);
  std::vector<Sum> of_c(m);
  std::vector<Sum> of_b(k);
  for (std::size_t j = 0; j < n; ++j) {
    const long double size = 0.5L + static_cast<long double>(random() >> 12) * 0x1p-53L;
    const Sum weight{random() % 2 == 0 ? size : -size, size};
    for (std::size_t i = 0; i < m; ++i) of_c[i].add(c[j * m + i], weight);
    for (std::size_t l = 0; l < k; ++l) of_b[l].add(b.at(l, j), weight);
  }
  std::vector<Sum> expected(m);
  for (std::size_t l = 0; l < k; ++l) {
    for (std::size_t i = 0; i < m; ++i) expected[i].add(a.at(i, l), of_b[l]);
  }
  for (std::size_t i = 0; i < m; ++i) largest.add(of_c[i].value, expected[i].value, expected[i].magnitude);
}

}  // namespace

double product_error(std::size_t m, std::size_t n, std::size_t k, const MatrixView& a, const MatrixView& b,
                     std::span<const double> c, const std::function<void(double done)>& progress) {
  constexpr std::size_t kMostElements = 4096;
  const std::size_t step = m * n / kMostElements + 1;
  LargestError largest;
  for (std::size_t at = 0; at < c.size(); at += step) {
    long double sum = 0;
    long double magnitude = 0;
    for (std::size_t l = 0; l < k; ++l) {
      const long double product = static_cast<long double>(a.at(at % m, l)) * static_cast<long double>(b.at(l, at / m));
      sum += product;
      magnitude += std::abs(product);
    }
    largest.add(c[at], sum, magnitude);
    if (progress) progress(static_cast<double>(at) / static_cast<double>(c.size()));
  }
  compare_weighted_rows(m, n, k, a, b, c, largest);
  return largest.value();
}

DgemmBlocking dgemm_blocking(const isa::Program& program) {
  const isa::Variable& a = variable_of(program, "a", isa::Transfer::hlt, 2);  // [k][vector]
  const isa::Variable& b = variable_of(program, "b", isa::Transfer::elt, 2);  // [column][k]
  const isa::Variable& c = variable_of(program, "c", isa::Transfer::rrn, 3);  // [column][PE][vector]
  const bool agree = a.dimensions[0] == b.dimensions[1] && b.dimensions[0] == c.dimensions[0] &&
                     c.dimensions[1] == kPesPerBlock && a.dimensions[1] == c.dimensions[2];
  if (!program.is_type2() || !agree) {
    throw Error(fmt::format("kernel {}: the shapes of a, b and c are no matrix product's", program.kernel));
  }
  return {a.dimensions[0], a.dimensions[1], b.dimensions[0]};
}

DgemmSharing share_dgemm(const DgemmBlocking& blocking, std::size_t m, std::size_t k, unsigned chips_per_board,
                         unsigned boards, unsigned least_ring) {
  DgemmSharing sharing;
  sharing.ring = least_ring;
  while (sharing.ring * 2 <= chips_per_board && std::size_t{sharing.ring} * blocking.k_per_chip() < k)
    sharing.ring *= 2;
  const unsigned rings_of_board = chips_per_board / sharing.ring;
  const std::size_t rows_of_board = std::size_t{rings_of_board} * blocking.rows();
  const std::size_t boards_with_rows = std::max<std::size_t>(1, (m + rows_of_board - 1) / rows_of_board);
  sharing.boards = static_cast<unsigned>(std::min<std::size_t>(boards, boards_with_rows));
  sharing.rings = rings_of_board * sharing.boards;
  const std::size_t most = std::size_t{sharing.ring} * blocking.k_per_chip();
  sharing.passes = (k + most - 1) / most;
  // Every pass takes the same share of k, and so does every chip in a pass, in whole blocks.
  const std::size_t step = std::size_t{sharing.ring} * blocking.k_per_block;
  const std::size_t per_pass = sharing.passes == 0 ? 0 : (k + sharing.passes - 1) / sharing.passes;
  sharing.live_blocks = static_cast<unsigned>((per_pass + step - 1) / step);
  sharing.k_per_pass = sharing.live_blocks * step;
  return sharing;
}

isa::Program dgemm_program(DgemmPrecision precision) {
  return hostlib::kernel_program(precision == DgemmPrecision::paper ? "dgemm" : "dgemm_double");
}

struct BoardDgemm::State {
  DeviceOptions options;
  emulator::Boards boards;
  isa::Program program;
  DgemmBlocking blocking;
  bool split = false;  // the kernel takes the bits beyond those of the port as separate numbers
  double executed = 0;
  std::function<void(double)> told;

  State(const DeviceOptions& chosen, isa::Program given)
      : options(chosen),
        boards(hostlib::boards_of(chosen)),
        program(std::move(given)),
        blocking(dgemm_blocking(program)) {
    for (const isa::Variable& variable : program.variables) split = split || variable.name == "a_low";
    boards.load(program);
  }

  /// The i-records for the part of A that a chip holds: rows from `first_row` on, columns from `first_k` on.
  std::vector<std::uint64_t> pack_a(const MatrixView& a, std::size_t m, std::size_t k, std::size_t first_row,
                                    std::size_t first_k, unsigned blocks) const {
    const std::size_t entries = std::size_t{blocking.k_per_block} * blocking.vectors;
    const std::size_t record = entries * (split ? 2 : 1);
    std::vector<std::uint64_t> fields(blocks * kParticlesPerRun * record);
    for (unsigned block = 0; block < blocks; ++block) {
      for (unsigned n = 0; n < blocking.k_per_block; ++n) {
        const std::size_t column = first_k + block * blocking.k_per_block + n;
        if (column >= k) continue;
        for (unsigned row = 0; row < blocking.rows() && first_row + row < m; ++row) {
          const unsigned pe = row / (kVectorElements * blocking.vectors);
          const unsigned vector = row / kVectorElements % blocking.vectors;
          const std::size_t at =
              (std::size_t{block} * kParticlesPerRun + pe * kVectorElements + row % kVectorElements) * record +
              n * blocking.vectors + vector;
          const double value = a.at(first_row + row, column);
          fields[at] = field_of(value);
          if (split) fields[at + entries] = field_of(value - at_port(value));
        }
      }
    }
    return fields;
  }

  /// Sends as many columns of B as `turns` turns take to the chips of all rings.
  void send_b(const MatrixView& b, std::size_t n, std::size_t k, const DgemmSharing& sharing, std::size_t turns) {
    const std::size_t entries = std::size_t{blocking.k_per_block} * blocking.columns;
    std::vector<std::uint64_t> fields(entries * (split ? 2 : 1));
    for (std::size_t pass = 0; pass < sharing.passes; ++pass) {
      for (unsigned chip = 0; chip < sharing.ring; ++chip) {
        for (std::size_t turn = 0; turn < turns; ++turn) {
          base::pause();
          for (unsigned block = 0; block < sharing.live_blocks; ++block) {
            std::fill(fields.begin(), fields.end(), 0);
            const std::size_t first_k = k_of(sharing, pass, chip) + block * blocking.k_per_block;
            for (unsigned c = 0; c < blocking.columns && turn * blocking.columns + c < n; ++c) {
              for (unsigned i = 0; i < blocking.k_per_block && first_k + i < k; ++i) {
                const double value = b.at(first_k + i, turn * blocking.columns + c);
                fields[c * blocking.k_per_block + i] = field_of(value);
                if (split) fields[entries + c * blocking.k_per_block + i] = field_of(value - at_port(value));
              }
            }
            const std::uint64_t record = (pass * turns + turn) * kBlocks + block;
            for (unsigned ring = 0; ring < sharing.rings; ++ring) {
              boards.write_chip_record(ring * sharing.ring + chip, record, fields, turn * blocking.columns);
            }
          }
        }
      }
    }
  }

  static std::size_t k_of(const DgemmSharing& sharing, std::size_t pass, unsigned chip) {
    return pass * sharing.k_per_pass + chip * (sharing.k_per_pass / sharing.ring);
  }

  /// Computes rows from `first_row` on, one share of rows for each ring at work, and adds up the passes in c.
  void run_rows(const MatrixView& a, std::size_t m, std::size_t n, std::size_t k, const DgemmSharing& sharing,
                std::size_t first_row, std::size_t turns, std::span<double> c) {
    constexpr std::size_t kColumnsAPause = 1024;  // about a millisecond
    std::vector<emulator::Ring> rings;
    while (rings.size() < sharing.rings && first_row + rings.size() * blocking.rows() < m) {
      rings.push_back({static_cast<unsigned>(rings.size()) * sharing.ring, sharing.ring});
    }
    const std::size_t rows = std::min<std::size_t>(blocking.rows(), m - first_row);
    const unsigned rows_per_pe = kVectorElements * blocking.vectors;
    for (std::size_t pass = 0; pass < sharing.passes; ++pass) {
      for (std::size_t ring = 0; ring < rings.size(); ++ring) {
        for (unsigned chip = 0; chip < sharing.ring; ++chip) {
          base::pause();
          boards.write_block_particles(
              rings[ring].first_chip + chip,
              pack_a(a, m, k, first_row + ring * blocking.rows(), k_of(sharing, pass, chip), sharing.live_blocks));
        }
      }
      const emulator::TurnRun run{pass * turns * kBlocks, turns, sharing.live_blocks,
                                  static_cast<unsigned>((rows + rows_per_pe - 1) / rows_per_pe)};
      const auto results = boards.run_turns(rings, run);
      executed += 2.0 * blocking.rows() * blocking.columns * blocking.k_per_chip() * static_cast<double>(turns) *
                  static_cast<double>(rings.size()) * sharing.ring;
      for (std::size_t ring = 0; ring < rings.size(); ++ring) {
        const std::size_t top = first_row + ring * blocking.rows();
        std::vector<double> part(std::min<std::size_t>(blocking.rows(), m - top));
        for (std::size_t column = 0; column < n; ++column) {
          if (column % kColumnsAPause == 0) base::pause();
          const std::size_t first_word = column * blocking.rows();
          for (std::size_t row = 0; row < part.size(); ++row) {
            part[row] = std::bit_cast<double>(results[ring][first_word + row]);
          }
          const std::span<double> sums = c.subspan(column * m + top, part.size());
          if (pass == 0) {
            std::ranges::copy(part, sums.begin());
          } else {
            add_pass(rings[ring], first_word, sums, part);
          }
        }
      }
    }
  }

  /// Adds the results of a pass, which are the words of a ring from `first_word` on, to those of the passes before.
  void add_pass(const emulator::Ring& ring, std::size_t first_word, std::span<double> sums,
                std::span<const double> part) {
    for (const emulator::NumberEvent& had : emulator::reduce_on_host(isa::Op::FADD, sums, part)) {
      emulator::JunctionEvent event;
      event.junction = emulator::Junction::host;
      event.chip = ring.first_chip;
      event.variable =
          static_cast<std::size_t>(program.variables_by(isa::Transfer::rrn).front() - program.variables.data());
      event.result = first_word + had.index;
      event.event = had.event;
      boards.count(event);
    }
  }
};

BoardDgemm::BoardDgemm(const DeviceOptions& options, isa::Program program)
    : state_(std::make_unique<State>(options, std::move(program))) {}
BoardDgemm::~BoardDgemm() = default;
BoardDgemm::BoardDgemm(BoardDgemm&&) noexcept = default;
BoardDgemm& BoardDgemm::operator=(BoardDgemm&&) noexcept = default;

std::vector<double> BoardDgemm::multiply(std::size_t m, std::size_t n, std::size_t k, const MatrixView& a,
                                         const MatrixView& b) {
  std::vector<double> c(m * n);
  if (m == 0 || n == 0 || k == 0) return c;
  const DgemmBlocking& blocking = state_->blocking;
  const emulator::MachineDescription& machine = state_->boards.machine();
  const DgemmSharing sharing = share_dgemm(blocking, m, k, machine.chips, state_->options.boards);
  // B is sent in parts, each of as many columns as external memory holds for the whole depth.
  const std::uint64_t turn_words = std::uint64_t{kBlocks} * state_->program.record_words * sharing.passes;
  const std::size_t most_turns = machine.em_words / turn_words;
  if (most_turns == 0) {
    throw Error(fmt::format("k = {} is refused: external memory of {} words holds no {} columns of it", k,
                            machine.em_words, blocking.columns));
  }
  for (std::size_t first = 0; first < n; first += most_turns * blocking.columns) {
    const std::size_t columns = std::min<std::size_t>(n - first, most_turns * blocking.columns);
    const std::size_t turns = (columns + blocking.columns - 1) / blocking.columns;
    MatrixView part = b;
    part.data += static_cast<std::ptrdiff_t>(first) * b.column_step;
    state_->send_b(part, columns, k, sharing, turns);
    const std::span<double> c_part = std::span(c).subspan(first * m, columns * m);
    for (std::size_t row = 0; row < m; row += std::size_t{sharing.rings} * blocking.rows()) {
      state_->run_rows(a, m, columns, k, sharing, row, turns, c_part);
      const std::size_t rows = std::min(m, row + std::size_t{sharing.rings} * blocking.rows());
      const auto done = static_cast<double>(first * m + columns * rows);
      if (state_->told) state_->told(done / static_cast<double>(m * n));
    }
  }
  return c;
}

void BoardDgemm::on_progress(std::function<void(double done)> told) { state_->told = std::move(told); }

double BoardDgemm::executed_flops() const { return state_->executed; }
emulator::Counters BoardDgemm::counters() const { return state_->boards.counters(); }
const emulator::MachineDescription& BoardDgemm::machine() const { return state_->boards.machine(); }
const isa::Program& BoardDgemm::program() const { return state_->program; }
unsigned BoardDgemm::boards() const { return state_->options.boards; }

}  // namespace gdr
