#include "gdr/cluster/nbody_ranks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>

#include "gdr/base/error.h"
#include "gdr/base/json.h"
#include "gdr/base/json_value.h"
#include "gdr/cluster/nbody_model.h"
#include "gdr/emulator/chip.h"
#include "gdr/emulator/host_reduction.h"
#include "nbody_block.h"

namespace gdr::cluster {
namespace {

using base::Json;
using base::JsonValue;
using hostlib::BoardForce;
using hostlib::Force;
using hostlib::IParticle;
using hostlib::JParticle;

constexpr std::size_t kForceWords = 7;
static_assert(sizeof(Force) == kForceWords * sizeof(double) && std::is_trivially_copyable_v<Force>);

/// The variable of each number of a force, by its index in the program.
std::array<std::size_t, kForceWords> variables_of_force(const isa::Program& program) {
  std::array<std::size_t, kForceWords> variables{};
  constexpr std::array<std::string_view, kForceWords> kNames{"acc", "acc", "acc", "jerk", "jerk", "jerk", "pot"};
  for (std::size_t n = 0; n < kForceWords; ++n) {
    const auto found = std::ranges::find(program.variables, kNames[n], &isa::Variable::name);
    variables[n] = static_cast<std::size_t>(found - program.variables.begin());
  }
  return variables;
}

/// Where part `part` of `parts` begins if `size` things are divided. Part sizes differ by at most one.
std::size_t begin_of(std::size_t size, std::size_t part, std::size_t parts) { return size * part / parts; }

/// Seconds for which a rank's board and host have been busy since the run began.
struct Busy {
  double compute = 0;
  double send = 0;
  double receive = 0;
  [[nodiscard]] double total() const { return compute + send + receive; }
  Busy& operator+=(const Busy& other) {
    compute += other.compute;
    send += other.send;
    receive += other.receive;
    return *this;
  }
};

Busy busy_of(const Device& device) {
  const emulator::BoardTime& emulated = device.emulated();
  const emulator::StageSeconds& stages = emulated.seconds();
  // Any run will do, since the results of all runs have the same size.
  const double dma = static_cast<double>(emulated.runs()) * emulated.one_run(1, 1).result_dma;
  return {stages.compute - dma + stages.host, stages.i_send + stages.j_send, dma + stages.add};
}

/// The algorithm of the model that a split runs.
NbodyAlgorithm algorithm_of(const Split& split) {
  if (split.columns == 1) return NbodyAlgorithm::copy;
  return split.rows == 1 ? NbodyAlgorithm::j_parallel : NbodyAlgorithm::two_dimensional;
}

/// The cluster of the ranks with their boards: those of this rank's device.
Cluster with_boards(Cluster cluster, const Device& device) {
  cluster.board = device.machine();
  cluster.boards_per_node = device.chips() / device.machine().chips;
  return cluster;
}

}  // namespace

Split split_named(std::string_view name, unsigned ranks) {
  if (name == "i") return {"i", ranks, 1};
  if (name == "j") return {"j", 1, ranks};
  if (name == "2d") {
    const auto side = static_cast<unsigned>(std::lround(std::sqrt(ranks)));
    if (side * side != ranks) throw Error(fmt::format("2d: {} ranks are refused: they must form a square", ranks));
    return {"2d", side, side};
  }
  throw Error(fmt::format("'{}' is refused: it must be one of {}", name, fmt::join(split_names(), ", ")));
}

std::vector<std::string> split_names() { return {"i", "j", "2d"}; }

/// The common clock of all ranks. Every rank knows the times of waits and messages, and how long every board had been
/// busy when the last block ended.
struct NbodyRanks::Clock {
  const Device* device = nullptr;  // null before share()
  Busy resumed;                    // not counted by the device: this rank's time before a restart, and sums over ranks
  std::vector<Busy> at_block;      // of each rank, at the end of the last block
  std::vector<double> wait;        // of each rank
  double network = 0;

  [[nodiscard]] Busy own() const {
    Busy busy = busy_of(*device);
    busy += resumed;
    return busy;
  }
};

class NbodyRanks::Backend final : public hostlib::ForceBackend {
 public:
  Backend(NbodyRanks& owner, Device& device, isa::Program program)
      : owner_(owner),
        communicator_(owner.communicator_),
        row_(communicator_.rank() / owner.split_.columns),
        column_(communicator_.rank() % owner.split_.columns),
        device_(device),
        chips_(device.chips()),
        variables_(variables_of_force(program)),
        cluster_(with_boards(owner.cluster_, device)),
        platform_(platform_for(cluster_, communicator_.size())),
        program_(program),
        board_(device, std::move(program)) {
    if (device.emulated().mode() == emulator::TransferMode::ideal) model_.transfer = emulator::TransferMode::ideal;
    model_.algorithm = algorithm_of(owner.split_);
    model_.ranks = communicator_.size();
    model_.overlap = owner.split_.overlap;
    node_ = std::make_unique<BoardNode>(program_, cluster_, model_.transfer);
  }

  void set_j_count(std::size_t n) override {
    if (n < communicator_.size()) {
      throw Error(fmt::format("{} ranks are refused: there are {} particles to share", communicator_.size(), n));
    }
    n_ = n;
    messages_.clear();
    block_ = std::make_unique<NbodyBlock>(cluster_, platform_.topology, *node_, static_cast<double>(n), model_);
    // The share of whole rounds over the chips of all columns, and this column's part of the last round.
    const std::size_t round = std::size_t{chips_} * columns();
    const std::size_t first = std::size_t{chips_} * column_;
    const std::size_t rest = n % round;
    board_.set_j_count(n / round * chips_ + (rest > first ? std::min<std::size_t>(rest - first, chips_) : 0));
  }

  void set_j_particles(std::span<const std::size_t> addresses, std::span<const JParticle> particles) override {
    if (columns() == 1) {
      board_.set_j_particles(addresses, particles);
    } else {
      own_addresses_.clear();
      own_particles_.clear();
      const std::size_t round = std::size_t{chips_} * columns();
      for (std::size_t n = 0; n < addresses.size(); ++n) {
        if (addresses[n] >= n_) throw Error(fmt::format("j address {} is outside 0..{}", addresses[n], n_ - 1));
        // As in one process with as many boards, particles are dealt out to the chips of all boards in turn.
        const std::size_t chip = addresses[n] % round;
        if (chip / chips_ != column_) continue;
        own_addresses_.push_back(addresses[n] / round * chips_ + chip % chips_);
        own_particles_.push_back(particles[n]);
      }
      board_.set_j_particles(own_addresses_, own_particles_);
    }
    end_block();
  }

  void set_time(double t) override {
    board_.set_time(t);
    starts_ = t == 0;  // no block ends there
  }

  [[nodiscard]] std::vector<Force> evaluate(std::span<const IParticle> i_particles, double eps2) override {
    const Messages messages = messages_of(i_particles.size());
    std::vector<Force> forces = messages.cut ? in_halves(i_particles, eps2, *messages.cut) : in_one(i_particles, eps2);
    owner_.clock_->network += messages.seconds;
    owner_.clock_->resumed.receive += messages.sums;
    owner_.clock_->resumed.compute += messages.integration;
    communicator_.spend(messages.integration);
    return forces;
  }

  [[nodiscard]] hostlib::ForceNoise noise() const override { return board_.noise(); }

 private:
  [[nodiscard]] unsigned rows() const { return owner_.split_.rows; }
  [[nodiscard]] unsigned columns() const { return owner_.split_.columns; }

  /// A range of the block's particles.
  struct Range {
    std::size_t begin = 0;
    std::size_t size = 0;
  };
  /// The range of n particles for which a row computes forces.
  [[nodiscard]] Range share_of(std::size_t n, std::size_t row) const {
    const std::size_t begin = begin_of(n, row, rows());
    return {begin, begin_of(n, row + 1, rows()) - begin};
  }
  /// The part of a row's share, or of a half of it, for which a rank has the total forces in the end: that of its
  /// column.
  [[nodiscard]] Range piece_of(Range share, unsigned rank) const {
    const std::size_t column = rank % columns();
    const std::size_t begin = begin_of(share.size, column, columns());
    return {share.begin + begin, begin_of(share.size, column + 1, columns()) - begin};
  }
  /// The halves of a row's share; the first has `cut` particles, or all if there are fewer.
  [[nodiscard]] static std::pair<Range, Range> halves_of(Range share, std::size_t cut) {
    const std::size_t first = std::min(cut, share.size);
    return {{share.begin, first}, {share.begin + first, share.size - first}};
  }

  /// Forces of the column's j-particles on a range of i-particles.
  [[nodiscard]] std::vector<Force> computed(std::span<const IParticle> i_particles, Range range, double eps2) {
    std::vector<Force> part;
    if (range.size > 0) part = board_.evaluate(i_particles.subspan(range.begin, range.size), eps2);
    spend();
    return part;
  }

  [[nodiscard]] std::vector<Force> in_one(std::span<const IParticle> i_particles, double eps2) {
    const std::size_t n = i_particles.size();
    std::vector<std::size_t> bytes;
    for (unsigned rank = 0; rank < communicator_.size(); ++rank) {
      bytes.push_back(piece_of(share_of(n, rank / columns()), rank).size * sizeof(Force));
    }
    const Range share = share_of(n, row_);
    std::vector<Force> part = computed(i_particles, share, eps2);
    if (columns() > 1) {
      Fold fold(*this, part, share.begin);
      part = fold.sums();
    }
    std::vector<Force> forces(n);
    communicator_.allgatherv(std::as_bytes(std::span(part)), bytes, std::as_writable_bytes(std::span(forces)));
    return forces;
  }

  [[nodiscard]] std::vector<Force> in_halves(std::span<const IParticle> i_particles, double eps2, std::size_t cut) {
    const std::size_t n = i_particles.size();
    const auto [first, second] = halves_of(share_of(n, row_), cut);
    std::vector<Force> forces(n);
    const std::vector<Force> of_first = computed(i_particles, first, eps2);
    if (columns() == 1) {
      begin_gather(of_first, forces, cut, false);
      const std::vector<Force> of_second = computed(i_particles, second, eps2);
      communicator_.end_exchange();
      begin_gather(of_second, forces, cut, true);
      communicator_.end_exchange();
      return forces;
    }
    Fold fold(*this, of_first, first.begin);
    const std::vector<Force> of_second = computed(i_particles, second, eps2);
    const std::vector<Force> first_sums = fold.sums();
    const std::vector<Force> second_sums = Fold(*this, of_second, second.begin).sums();
    begin_gather(first_sums, forces, cut, false);
    communicator_.end_exchange();
    begin_gather(second_sums, forces, cut, true);
    communicator_.end_exchange();
    return forces;
  }

  /// Begins to send every rank's piece of the first or the second half to all others.
  void begin_gather(const std::vector<Force>& own, std::vector<Force>& forces, std::size_t cut, bool second) {
    std::vector<Communicator::Outgoing> sends;
    std::vector<Communicator::Incoming> receives;
    for (unsigned rank = 0; rank < communicator_.size(); ++rank) {
      const auto halves = halves_of(share_of(forces.size(), rank / columns()), cut);
      const Range piece = piece_of(second ? halves.second : halves.first, rank);
      sends.push_back({rank, std::as_bytes(std::span(own))});
      receives.push_back({rank, std::as_writable_bytes(std::span(forces).subspan(piece.begin, piece.size))});
    }
    communicator_.begin_exchange(sends, receives);
  }

  /// Sums over the boards of the row for this column's piece of `part`, which begins at particle `first` of the block.
  /// Forces are added in the order of the columns, whichever rank adds them. Messages travel until sums() is called.
  class Fold {
   public:
    Fold(Backend& owner, const std::vector<Force>& part, std::size_t first)
        : owner_(owner),
          own_(owner.piece_of({first, part.size()}, owner.communicator_.rank())),
          received_(own_.size * kForceWords * owner.columns()) {
      std::vector<Communicator::Outgoing> sends;
      std::vector<Communicator::Incoming> receives;
      for (unsigned column = 0; column < owner.columns(); ++column) {
        const auto rank = static_cast<unsigned>(owner.row_ * owner.columns() + column);
        const Range piece = owner.piece_of({0, part.size()}, rank);
        sends.push_back({rank, std::as_bytes(std::span(part).subspan(piece.begin, piece.size))});
        receives.push_back({rank, std::as_writable_bytes(received_of(column))});
      }
      owner.communicator_.begin_exchange(sends, receives);
    }

    [[nodiscard]] std::vector<Force> sums() {
      owner_.communicator_.end_exchange();
      for (unsigned column = 1; column < owner_.columns(); ++column) {
        // Forces are sums over j-particles, so the ranks add up what the boards of one process would.
        for (const emulator::NumberEvent& had :
             emulator::reduce_on_host(isa::Op::FADD, received_of(0), received_of(column))) {
          owner_.count(had, column, own_.begin);
        }
      }
      std::vector<Force> sums(own_.size);
      std::ranges::copy(std::as_bytes(received_of(0)), std::as_writable_bytes(std::span(sums)).begin());
      return sums;
    }

   private:
    /// The forces that a column sent, as numbers.
    [[nodiscard]] std::span<double> received_of(unsigned column) {
      return std::span(received_).subspan(column * own_.size * kForceWords, own_.size * kForceWords);
    }

    Backend& owner_;
    Range own_;
    std::vector<double> received_;
  };

  /// Counts an event of the sum over ranks on this rank's board, at the number that a column sent.
  void count(const emulator::NumberEvent& had, unsigned column, std::size_t first_particle) {
    emulator::JunctionEvent event;
    event.junction = emulator::Junction::rank;
    event.chip = static_cast<unsigned>(row_ * columns() + column);
    event.variable = variables_[had.index % kForceWords];
    event.result = first_particle + had.index / kForceWords;
    event.event = had.event;
    device_.count(event);
  }

  /// Times of a block besides its board's, of the algorithm that the model has for the split. The hosts of the emulated
  /// ranks integrate their shares; here every rank integrates all particles, with the same bits.
  struct Messages {
    double seconds = 0;              // for which ranks wait for messages
    double sums = 0;                 // for which hosts add forces between messages
    double integration = 0;          // of the host, as far as no board hides it
    std::optional<std::size_t> cut;  // particles of the first half of each row's share
  };

  [[nodiscard]] Messages messages_of(std::size_t n) {
    if (communicator_.size() == 1) return {};
    if (starts_) return messages_of(block_->start(), n, 2);
    auto known = messages_.find(n);
    if (known == messages_.end()) {
      known = messages_.emplace(n, messages_of(block_->timed(static_cast<double>(n)), n, 1)).first;
    }
    return known->second;
  }

  /// The board takes its time by itself, `sends` sends of j-particles included; the rest of the path is left.
  [[nodiscard]] Messages messages_of(const NbodyBlock::Timed& timed, std::size_t n, double sends) const {
    const auto size = static_cast<double>(n);
    const NbodyBlock::RunAndSends board = block_->alone(size, timed.first);
    const std::array<double, kParts> parts = part_seconds(timed.times);
    const auto of = [&](Part part) { return parts[static_cast<std::size_t>(part)]; };
    Messages messages;
    messages.seconds = of(Part::network) + of(Part::overhead) + of(Part::loopback);
    const double rate = node_->additions_per_second();
    const double others = 1 - 1 / static_cast<double>(columns());
    if (rate > 0) messages.sums = others * size / rows() * static_cast<double>(kForceWords) / rate;
    messages.integration =
        timed.times.seconds - messages.seconds - messages.sums - board.run.total() - sends * board.j_seconds;
    if (timed.first < 1) {
      messages.cut = static_cast<std::size_t>(std::llround(timed.first * std::ceil(size / rows())));
    }
    return messages;
  }

  /// Tells the communicator how long board and host have been busy since the last call.
  void spend() {
    const double busy = busy_of(*owner_.clock_->device).total();
    communicator_.spend(busy - spent_);
    spent_ = busy;
  }

  /// All ranks learn how long the boards have been busy, and wait for the slowest.
  void end_block() {
    spend();
    Clock& clock = *owner_.clock_;
    const Busy own = clock.own();
    std::vector<Busy> all(communicator_.size());
    const std::vector<std::size_t> bytes(communicator_.size(), sizeof(Busy));
    communicator_.allgatherv(std::as_bytes(std::span(&own, 1)), bytes, std::as_writable_bytes(std::span(all)));
    double slowest = 0;
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      slowest = std::max(slowest, all[rank].total() - clock.at_block[rank].total());
    }
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      clock.wait[rank] += slowest - (all[rank].total() - clock.at_block[rank].total());
    }
    clock.at_block = std::move(all);
  }

  NbodyRanks& owner_;
  Communicator& communicator_;
  std::size_t row_;
  std::size_t column_;
  Device& device_;
  unsigned chips_;
  std::array<std::size_t, kForceWords> variables_;
  Cluster cluster_;
  interconnect::Platform platform_;
  isa::Program program_;
  BoardForce board_;
  NbodyModelOptions model_;
  std::unique_ptr<BoardNode> node_;
  std::unique_ptr<NbodyBlock> block_;
  bool starts_ = false;  // the next forces are those at the start of a run
  std::size_t n_ = 0;
  std::vector<std::size_t> own_addresses_;
  std::vector<JParticle> own_particles_;
  std::map<std::size_t, Messages> messages_;  // by block size
  double spent_ = 0;                          // emulated seconds reported to the communicator
};

NbodyRanks::NbodyRanks(Communicator& communicator, Split split, const Cluster& cluster)
    : communicator_(communicator), split_(std::move(split)), cluster_(cluster), clock_(std::make_unique<Clock>()) {
  const unsigned ranks = communicator_.size();
  if (split_.rows * split_.columns != ranks) {
    throw Error(fmt::format("split {}: {} x {} is refused: there are {} ranks", split_.name, split_.rows,
                            split_.columns, ranks));
  }
  cluster_.boards_per_node = cluster_.ranks_per_node = 1;
  static_cast<void>(platform_for(cluster_, ranks));
  clock_->at_block.resize(ranks);
  clock_->wait.resize(ranks);
}

NbodyRanks::~NbodyRanks() = default;

std::unique_ptr<hostlib::ForceBackend> NbodyRanks::share(Device& device, isa::Program program) {
  auto backend = std::make_unique<Backend>(*this, device, std::move(program));
  clock_->device = &device;
  return backend;
}

unsigned NbodyRanks::boards() const { return split_.columns; }
unsigned NbodyRanks::ranks() const { return communicator_.size(); }
std::size_t NbodyRanks::j_capacity(std::size_t of_device) const { return of_device * split_.columns; }

std::string NbodyRanks::totals() const {
  Json json{{"network", clock_->network}, {"wait", clock_->wait}, {"busy", Json::array()}};
  for (const Busy& busy : clock_->at_block) json["busy"].push_back(Json{busy.compute, busy.send, busy.receive});
  return json.text(Json::kCompact);
}

void NbodyRanks::resume(const std::string& totals, double integration) {
  clock_->network = 0;
  std::ranges::fill(clock_->wait, 0);
  clock_->resumed = {};
  if (!totals.empty()) {
    const JsonValue json = base::parse_json(totals);
    std::vector<double> wait;
    for (const JsonValue& seconds : json.at("wait").list()) wait.push_back(seconds.number());
    std::vector<Busy> busy;
    for (const JsonValue& rank : json.at("busy").list()) {
      busy.push_back({rank.at(0).number(), rank.at(1).number(), rank.at(2).number()});
    }
    if (wait.empty() || busy.size() != wait.size()) throw Error("the clock of the ranks is damaged");
    clock_->network = json.at("network").number();
    // If the number of ranks has changed, all continue with the clock of the first rank.
    const bool same = wait.size() == ranks();
    if (same) clock_->wait = wait;
    if (!same) std::ranges::fill(clock_->wait, wait.front());
    const Busy& own = busy[same ? communicator_.rank() : 0];
    const Busy counted = busy_of(*clock_->device);
    clock_->resumed = {own.compute - counted.compute, own.send - counted.send, own.receive - counted.receive};
    for (std::size_t rank = 0; rank < ranks(); ++rank) clock_->at_block[rank] = busy[same ? rank : 0];
    return;
  }
  if (ranks() > 1) clock_->resumed.compute = integration;
  std::ranges::fill(clock_->at_block, clock_->own());
}

std::vector<RankSeconds> NbodyRanks::seconds() const {
  const Busy busy = clock_->own();
  const RankSeconds own{busy.compute, busy.send, busy.receive, clock_->network, clock_->wait[communicator_.rank()]};
  std::vector<RankSeconds> all(ranks());
  const std::vector<std::size_t> bytes(ranks(), sizeof(RankSeconds));
  communicator_.allgatherv(std::as_bytes(std::span(&own, 1)), bytes, std::as_writable_bytes(std::span(all)));
  return all;
}

}  // namespace gdr::cluster
