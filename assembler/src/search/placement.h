// Places operations on lines, one at a time, with all that they need there: a unit, ports, and for each value a place
// where every reader finds it. A value gets its places when its readers are placed, which may be after its own line is
// filled.
#pragma once

#include <utility>
#include <vector>

#include "flag_order.h"
#include "gdr/assembler/line_search.h"
#include "journal.h"

namespace gdr::assembler {

/// The place that is tried first when an operation reads a value.
enum class Preference : std::uint8_t { t_first, gpr_first, t_then_lm, lm_first };
inline constexpr unsigned kPreferences = 4;

/// What distinguishes one schedule from another.
struct Genes {
  std::vector<int> priorities;          // of bundles
  std::vector<Preference> preferences;  // of values
  bool careful = false;         // every value gets a register or a word of local memory as soon as it is computed
  bool flags_in_order = false;  // flags are set in the order of the source, so that few are in use at once
  // Every value that the next line does not read in T gets a register or a word of local memory for as long as it is
  // needed; if registers run out, the value that is needed last goes to local memory. Flags are set only while all that
  // are in use can be released.
  bool homes = false;
  bool strict = false;          // no result may count on being taken in T by the next line
  std::vector<int> not_before;  // for each bundle, the first line that it may begin on; empty: none is given
};

/// No operation, value or tenancy, where the index of one may stand: small numbers that a search copies often.
inline constexpr int kNone = -1;

class Placement {
 public:
  /// Keeps a reference to `graph`.
  explicit Placement(const SearchGraph& graph);

  /// Clears everything. The schedule may use `lines` lines.
  void restart(std::size_t lines, const Genes& genes);
  /// Call it before the first operation is placed on a line; lines must ascend.
  void begin_line(std::size_t line);
  /// False if a unit that the bundle needs is busy, which is why most attempts to place one fail.
  [[nodiscard]] bool has_units(std::size_t bundle, std::size_t line) const {
    for (std::size_t step = first_step_[bundle]; step < first_step_[bundle + 1]; ++step) {
      const std::size_t at = line + steps_[step].offset;
      if (at < lines_.size() && (lines_[at].units & steps_[step].units) != 0) return false;
    }
    return true;
  }
  /// Places a bundle that begins on `line`. Returns false, and changes nothing, if it cannot be there.
  bool place(std::size_t bundle, std::size_t line);
  /// How many values of a line still have readers but no place left for them in a register or local memory. T does not
  /// count.
  [[nodiscard]] int crowding(std::size_t line) const;
  /// True if the bundle reads a value of `line` that has no place yet.
  [[nodiscard]] bool relieves(std::size_t bundle, std::size_t line) const;
  /// Call it after the last operation of the next line. If one value of `line` has no other place, T keeps it. Returns
  /// false if that is impossible.
  bool settle(std::size_t line);
  /// True if something that other bundles may have waited for was released since the last call.
  [[nodiscard]] bool take_released() { return std::exchange(released_, false); }

  [[nodiscard]] const std::vector<PlacedOperation>& operations() const { return operations_; }
  [[nodiscard]] const std::vector<PlacedValue>& values() const { return values_; }
  [[nodiscard]] const std::vector<int>& constants() const { return constants_; }

 private:
  struct LineUse {
    int sequencer = kNone;
    int units = 0;
    std::array<int, isa::kGprReadPorts> gpr_read;
    int lm_read = kNone;
    int bm = kNone;
    int immediate = kNone;
    int flags = 0;
    int t_write = kNone;  // operation
    int gpr_write = kNone;
    int lm_write = kNone;
    int t_holds = kNone;  // what T must hold when the line reads: index of a tenancy, or of a value after all tenancies
    std::array<int, isa::kUnits> results;  // values, by unit
    LineUse() {
      gpr_read.fill(kNone);
      results.fill(kNone);
    }
  };
  struct Homeless {  // values of a line that have readers left but no place
    int all = 0;
    int for_registers = 0;  // those that cannot be in local memory
  };
  struct Latencies {  // in lines, of a value in T and elsewhere
    unsigned forward = 0;
    unsigned elsewhere = 0;
  };
  struct Step {  // an operation of a bundle
    std::size_t offset = 0;
    int units = 0;
  };
  struct Partner {  // a value that is read together with another one
    std::size_t reader = 0;
    std::size_t value = 0;
  };
  struct Waits {
    std::size_t bundle = 0;
    std::ptrdiff_t lines = 0;
  };

  void set(int& place, int value) { journal_.set(place, value); }

  void note_chains();
  void note_register_readers();
  void note_partners();
  void note_units();
  [[nodiscard]] static bool takes_lm(const SearchOperation& operation);
  bool place_operation(std::size_t number, std::size_t line);
  bool take_units(const SearchOperation& operation, LineUse& use);
  bool take_port(PortKey port, LineUse& use);
  bool take_ports(PortKey port, std::size_t line, unsigned lines);
  bool take_tenancies(std::size_t number, std::size_t line);
  bool take_writes(std::size_t number, std::size_t line);
  [[nodiscard]] bool flags_have_end() const;
  bool take_flags(const SearchOperation& operation);
  bool read_inputs(std::size_t number, std::size_t line, std::size_t input);
  bool read_constant(std::size_t number, std::size_t line, std::size_t input);
  bool copy_constant(std::size_t constant, Way way);
  bool read_value(std::size_t number, std::size_t line, std::size_t input, Way way);
  bool read_in_t(std::size_t value, std::size_t until);
  bool keep_in_t(std::size_t value, std::size_t until);
  bool read_in_memory(std::size_t value, int component, std::size_t line, std::size_t until, Way way);
  bool stand(std::size_t value, bool gpr);
  bool take_words(std::vector<int>& words, int more, int most, std::size_t from, std::size_t until);
  bool finish(std::size_t number, std::size_t line);
  bool keep_in_t_alone(std::size_t value, std::size_t line);
  bool stand_at_once(std::size_t value);

  // homes.cpp
  bool stand_with_base(std::size_t value);
  void note_use(std::size_t value);
  bool give_homes(std::size_t line);
  bool give_home(std::size_t root, std::size_t line, Way way, bool at_any_cost);
  bool empty_registers(std::size_t line, int words, int urgency);
  [[nodiscard]] std::size_t top_of(std::size_t root) const;
  [[nodiscard]] int urgency_of(std::size_t root) const;
  [[nodiscard]] int words_held(std::size_t line) const;
  [[nodiscard]] bool has_words(std::size_t line) const;
  [[nodiscard]] bool may_move_to_lm(std::size_t root) const;
  [[nodiscard]] bool may_leave(std::size_t root, std::size_t line) const;
  [[nodiscard]] bool has_home(std::size_t value, Way way) const {
    return homes_[root_[value]] == static_cast<int>(way);
  }
  [[nodiscard]] int words_of(std::size_t value) const { return words_[value]; }

  [[nodiscard]] Homeless homeless_of(std::size_t line) const;
  [[nodiscard]] bool is_homeless(std::size_t value) const;
  [[nodiscard]] bool may_stand_in_lm(std::size_t value) const;
  [[nodiscard]] bool has_room(std::size_t line) const;
  [[nodiscard]] bool is_for_lm(std::size_t value) const;
  [[nodiscard]] bool meets_another_in_lm(std::size_t value) const;
  [[nodiscard]] bool forwarded_from(std::size_t line) const;
  [[nodiscard]] bool may_stand(std::size_t number, std::size_t line) const;
  [[nodiscard]] bool has_latency_passed(std::size_t value, std::size_t line, Way way) const;
  [[nodiscard]] isa::Unit unit_of(std::size_t value) const {
    return graph_.operations[graph_.values[value].operation].unit;
  }
  static bool shareable(int taken, int wanted) { return taken == kNone || taken == wanted; }
  [[nodiscard]] int in_t(std::size_t value) const { return static_cast<int>(graph_.tenancies.size() + value); }
  [[nodiscard]] std::size_t line_of(std::size_t value) const { return static_cast<std::size_t>(values_[value].line); }

  const SearchGraph& graph_;
  const FlagOrder flag_order_;
  const Genes* genes_ = nullptr;
  unsigned gpr_free_ = 0;
  unsigned lm_free_ = 0;
  std::vector<std::size_t> bundle_of_;  // bundle of each operation
  std::vector<std::size_t> offset_of_;
  std::vector<Step> steps_;                     // of all bundles
  std::vector<std::size_t> first_step_;         // of each bundle, and the end
  std::size_t farthest_ = 0;                    // lines from the one that is being filled on that may be in use
  std::vector<Latencies> latencies_;            // of values
  std::vector<int> words_;                      // of values, as SearchValue::words()
  std::vector<std::vector<Partner>> partners_;  // of values
  std::vector<std::vector<Waits>> waits_;       // what each bundle waits for
  std::vector<int> over_;                       // for each value, the value that overwrites it
  std::vector<std::size_t> root_;               // for each value, the first of those that share its place
  std::vector<std::size_t> last_;
  std::vector<int> register_readers_;  // for each value, the readers that need local memory's port for something else
  std::vector<int> uses_;              // for each root, reads of its place and writes to it after the first
  std::vector<int> flag_users_;
  std::vector<LineUse> lines_;
  std::size_t now_ = 0;  // the line that is being filled with operations
  // Short words that values take, for each line.
  std::vector<int> gpr_words_used_;
  std::vector<int> lm_words_used_;
  std::vector<PlacedOperation> operations_;
  std::vector<PlacedValue> values_;
  std::vector<int> register_readers_left_;
  std::vector<int> constants_;    // Way of each constant's copy
  std::vector<int> flags_left_;   // users of each flag that are not placed yet
  std::vector<int> flag_placed_;  // 1: the first operation that sets the flag is placed
  // With Genes::homes: the Way of each root's home, uses of its place that are not placed yet, and the roots that have
  // registers; short words of local memory that homes take, and the most of registers that have been in use at once.
  std::vector<int> homes_;
  std::vector<int> uses_left_;
  std::vector<std::size_t> held_;
  int lm_held_ = 0;
  int gpr_most_ = 0;
  int flags_used_ = 0;
  int gpr_words_live_ = 0;  // short words of values in registers that have readers left
  int gpr_copies_ = 0;      // short words that copies of constants take
  int lm_copies_ = 0;
  int tenant_ = kNone;  // what T must keep until all its accesses are placed
  int tenant_left_ = 0;
  bool released_ = false;
  Journal journal_;
};

}  // namespace gdr::assembler
