#include "gdr/cluster/nbody_ranks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <type_traits>
#include <utility>

#include "gdr/base/error.h"
#include "gdr/base/json.h"
#include "gdr/base/json_value.h"
#include "gdr/cluster/rank_graph.h"

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

/// Part `part` of `parts` of something: where it begins. Part sizes differ by one at most.
std::size_t begin_of(std::size_t size, std::size_t part, std::size_t parts) { return size * part / parts; }

/// What a rank's board and host were busy with, since the run's begin.
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
  // One run is as good as another: their results are of one size.
  const double dma = static_cast<double>(emulated.runs()) * emulated.one_run(1, 1).result_dma;
  return {stages.compute - dma + stages.host, stages.i_send + stages.j_send, dma + stages.add};
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

/// The clock of all ranks together. Waits and messages are known to all, and so is what every board was busy with when
/// the last block ended.
struct NbodyRanks::Clock {
  const Device* device = nullptr;  // once there is one
  Busy resumed;                    // beside what the device counts: of this rank before a restart, and the ranks' sums
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
        chips_(device.chips()),
        board_(device, std::move(program)),
        platform_(platform_for(owner.cluster_, communicator_.size())),
        add_rate_(device.machine().host_add_rate) {}

  void set_j_count(std::size_t n) override {
    if (n < communicator_.size()) {
      throw Error(fmt::format("{} ranks are refused: there are {} particles to share", communicator_.size(), n));
    }
    n_ = n;
    // Whole rounds over the chips of all columns, and this column's part of the last round.
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
        // One process with as many boards deals particles out to the chips of all of them in turn.
        const std::size_t chip = addresses[n] % round;
        if (chip / chips_ != column_) continue;
        own_addresses_.push_back(addresses[n] / round * chips_ + chip % chips_);
        own_particles_.push_back(particles[n]);
      }
      board_.set_j_particles(own_addresses_, own_particles_);
    }
    end_block();
  }

  void set_time(double t) override { board_.set_time(t); }

  [[nodiscard]] std::vector<Force> evaluate(std::span<const IParticle> i_particles, double eps2) override {
    const std::size_t n = i_particles.size();
    const std::size_t begin = begin_of(n, row_, rows());
    const std::size_t size = begin_of(n, row_ + 1, rows()) - begin;
    std::vector<Force> part;
    if (size > 0) part = board_.evaluate(i_particles.subspan(begin, size), eps2);
    spend();
    if (columns() > 1) part = folded(part);
    std::vector<std::size_t> bytes;
    for (unsigned rank = 0; rank < communicator_.size(); ++rank) bytes.push_back(piece_of(n, rank) * sizeof(Force));
    std::vector<Force> forces(n);
    communicator_.allgatherv(std::as_bytes(std::span(part)), bytes, std::as_writable_bytes(std::span(forces)));
    count_messages(n);
    return forces;
  }

  [[nodiscard]] hostlib::ForceNoise noise() const override { return board_.noise(); }

 private:
  [[nodiscard]] unsigned rows() const { return owner_.split_.rows; }
  [[nodiscard]] unsigned columns() const { return owner_.split_.columns; }

  /// Forces that a rank has in the end, of a block of n: its part of its row's share.
  [[nodiscard]] std::size_t piece_of(std::size_t n, unsigned rank) const {
    const unsigned row = rank / columns();
    const unsigned column = rank % columns();
    const std::size_t share = begin_of(n, row + 1, rows()) - begin_of(n, row, rows());
    return begin_of(share, column + 1, columns()) - begin_of(share, column, columns());
  }

  /// Sums over the boards of the row, in the order of its columns whoever adds them, for this column's part of `part`.
  [[nodiscard]] std::vector<Force> folded(const std::vector<Force>& part) {
    const std::size_t own_begin = begin_of(part.size(), column_, columns());
    const std::size_t own = begin_of(part.size(), column_ + 1, columns()) - own_begin;
    std::vector<Force> received(own * columns());
    std::vector<Communicator::Outgoing> sends;
    std::vector<Communicator::Incoming> receives;
    for (unsigned column = 0; column < columns(); ++column) {
      const auto rank = static_cast<unsigned>(row_ * columns() + column);
      const std::size_t begin = begin_of(part.size(), column, columns());
      const std::size_t end = begin_of(part.size(), column + 1, columns());
      sends.push_back({rank, std::as_bytes(std::span(part).subspan(begin, end - begin))});
      receives.push_back({rank, std::as_writable_bytes(std::span(received).subspan(column * own, own))});
    }
    communicator_.exchange(sends, receives);
    std::vector<Force> sums(received.begin(), received.begin() + static_cast<std::ptrdiff_t>(own));
    for (unsigned column = 1; column < columns(); ++column) {
      for (std::size_t n = 0; n < own; ++n) {
        const Force& other = received[column * own + n];
        sums[n].acc += other.acc;
        sums[n].jerk += other.jerk;
        sums[n].pot += other.pot;
      }
    }
    return sums;
  }

  /// Emulated time of the messages of a block, whose ranks all begin together.
  void count_messages(std::size_t n) {
    if (communicator_.size() == 1) return;
    auto known = message_seconds_.find(n);
    if (known == message_seconds_.end()) known = message_seconds_.emplace(n, message_seconds(n)).first;
    owner_.clock_->network += known->second.first;
    owner_.clock_->resumed.receive += known->second.second;
  }

  /// Seconds of messages, and of the sums between them.
  [[nodiscard]] std::pair<double, double> message_seconds(std::size_t n) const {
    const double share = std::ceil(static_cast<double>(n) / rows()) * sizeof(Force);
    const double piece = std::ceil(share / sizeof(Force) / columns()) * sizeof(Force);
    const unsigned ranks = communicator_.size();
    std::vector<Group> in_rows(rows());
    for (Rank rank = 0; rank < ranks; ++rank) in_rows[rank / columns()].push_back(rank);
    Group all(ranks);
    for (Rank rank = 0; rank < ranks; ++rank) all[rank] = rank;
    std::pair<double, double> least{0, 0};
    for (const Method method : kMethods) {
      RankGraph graph(owner_.cluster_, ranks, "block");
      if (columns() > 1) reduce_scatter(graph, in_rows, share, add_rate_, Method::posted);
      allgather(graph, {all}, piece, method);
      const interconnect::ActivityTimes times = run_critical_path(graph.graph(), platform_.topology);
      const double sums = part_seconds(times)[static_cast<std::size_t>(Part::host)];
      if (method == kMethods[0] || times.seconds < least.first + least.second) least = {times.seconds - sums, sums};
    }
    return least;
  }

  /// What the board and the host were busy with since the last messages.
  void spend() {
    const double busy = busy_of(*owner_.clock_->device).total();
    communicator_.spend(busy - spent_);
    spent_ = busy;
  }

  /// All ranks learn what the boards were busy with, and wait for the slowest.
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
  unsigned chips_;
  BoardForce board_;
  interconnect::Platform platform_;
  double add_rate_;
  std::size_t n_ = 0;
  std::vector<std::size_t> own_addresses_;
  std::vector<JParticle> own_particles_;
  std::map<std::size_t, std::pair<double, double>> message_seconds_;  // by block size
  double spent_ = 0;                                                  // emulated seconds that the communicator knows of
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

void NbodyRanks::resume(const std::string& totals) {
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
    // On another number of ranks all go on from the first one's clock.
    const bool same = wait.size() == ranks();
    if (same) clock_->wait = wait;
    if (!same) std::ranges::fill(clock_->wait, wait.front());
    const Busy& own = busy[same ? communicator_.rank() : 0];
    const Busy counted = busy_of(*clock_->device);
    clock_->resumed = {own.compute - counted.compute, own.send - counted.send, own.receive - counted.receive};
    for (std::size_t rank = 0; rank < ranks(); ++rank) clock_->at_block[rank] = busy[same ? rank : 0];
    return;
  }
  std::ranges::fill(clock_->at_block, busy_of(*clock_->device));
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
