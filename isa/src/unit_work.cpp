#include "gdr/isa/unit_work.h"

namespace gdr::isa {

class LineWorkBuilder {
 public:
  explicit LineWorkBuilder(const Line& line) : line_(line) {
    work_.elements = line.vlen;
    work_.mask = line.mask;
    work_.bm = line.bm;
    for (const Unit unit : {Unit::adder, Unit::multiplier, Unit::alu}) add_slot(unit, slot_of(line, unit));
    if (line.bm.mode != BmMode::none) add_bm();
  }

  [[nodiscard]] const LineWork& result() const { return work_; }

 private:
  void add_slot(Unit unit, const Slot& slot) {
    if (slot.op == Op::NOP) return;
    const OperationInfo& info = info_of(slot.op);
    UnitWork& work = add(unit, slot.op, slot.width);
    work.computes = info.computes();
    work.flag = slot.flag;
    Access read;
    read.unit = unit;
    read.floating = info.kind == NumberKind::floating_point;
    read.defines = info.equal_sources_define && slot.a == slot.b;
    work.a = operand(Role::a, slot.a, slot.width, read);
    work.b = operand(Role::b, slot.b, slot.width, read);
    work.a.negated = slot.negate_a;
    work.b.negated = slot.negate_b;
    add_ports(work);
  }

  /// The word of a load is an operand of BM; that of a store is its result.
  void add_bm() {
    const BmPort& port = line_.bm;
    const bool stores = port.mode == BmMode::write;
    const auto moves = [](const WritePort& write) { return write.source == Unit::bm; };
    if (!stores && !moves(line_.t_write) && !moves(line_.gpr_write) && !moves(line_.lm_write)) return;
    UnitWork& work = add(Unit::bm, Op::NOP, port.width);
    work.one_pe = port.one_pe;
    work.pe = port.pe;
    Access read;
    read.unit = Unit::bm;
    read.one_pe = port.one_pe;
    work.a = operand(Role::a, stores ? port.store_source : Source::bm, port.width, read);
    if (!stores) return add_ports(work);
    Access store;
    store.role = Role::bm_write;
    store.one_pe = port.one_pe;
    place_in_bm(store);
    add_destination(work, store);
  }

  UnitWork& add(Unit unit, Op op, Width width) {
    UnitWork& work = work_.units_[work_.count_++];
    work.unit = unit;
    work.op = op;
    work.width = width;
    return work;
  }

  /// `read` already has the unit and the properties that depend on the operation; `taken` is the width in which the
  /// unit takes what has no width of its own.
  [[nodiscard]] UnitOperand operand(Role role, Source source, Width taken, Access read) const {
    UnitOperand operand;
    operand.kind = UnitOperand::Kind::word;
    read.role = role;
    const auto from = [&](Storage storage, const ReadPort& port) {
      read.storage = storage;
      read.indirect = port.indirect;
      place(read, port.address, port.width, port.vector);
    };
    switch (source) {
      case Source::none:
        return {};
      case Source::gpr_a:
        from(Storage::gpr, line_.gpr_a);
        break;
      case Source::gpr_b:
        from(Storage::gpr, line_.gpr_b);
        break;
      case Source::lm:
        from(Storage::lm, line_.lm_read);
        break;
      case Source::bm:
        place_in_bm(read);
        break;
      case Source::t_short:
        place_in_t(read, Width::short_word);
        break;
      case Source::t_long:
        place_in_t(read, Width::long_word);
        break;
      case Source::immediate:
        operand.kind = UnitOperand::Kind::constant;
        operand.width = line_.immediate.width;
        operand.constant = line_.immediate.value;
        return operand;
      case Source::pe_id:
        operand.kind = UnitOperand::Kind::pe_id;
        operand.width = taken;
        return operand;
      case Source::bb_id:
        operand.kind = UnitOperand::Kind::block_id;
        operand.width = taken;
        return operand;
    }
    operand.width = read.width;
    operand.word = read;
    return operand;
  }

  /// The ports that take the unit's result.
  void add_ports(UnitWork& work) const {
    const auto add = [&](Storage storage, Role role, const WritePort& port) {
      if (port.source != work.unit) return;
      Access write;
      write.storage = storage;
      write.role = role;
      write.indirect = port.indirect;
      write.one_pe = work.one_pe;
      write.predicate = port.predicate;
      if (storage == Storage::t) {
        place_in_t(write, work.width);
      } else {
        place(write, port.address, work.width, port.vector);
      }
      add_destination(work, write);
    };
    add(Storage::t, Role::t_write, line_.t_write);
    add(Storage::gpr, Role::gpr_write, line_.gpr_write);
    add(Storage::lm, Role::lm_write, line_.lm_write);
  }

  static void add_destination(UnitWork& work, Access write) {
    const UnitInfo& unit = info_of(work.unit);
    write.unit = work.unit;
    write.write = true;
    write.latency =
        static_cast<std::uint8_t>(write.storage == Storage::t ? unit.forward_latency : unit.register_latency);
    work.destinations_[work.count_++] = write;
  }

  void place_in_bm(Access& access) const {
    access.storage = line_.bm.record ? Storage::record : Storage::bm;
    place(access, line_.bm.address, line_.bm.width, line_.bm.vector);
  }

  static void place(Access& access, std::uint16_t address, Width width, bool vector) {
    access.address = address;
    access.width = width;
    access.step = static_cast<std::uint8_t>(vector ? short_words(width) : 0);
  }

  static void place_in_t(Access& access, Width width) {
    access.storage = Storage::t;
    access.width = width;
    access.step = 2;
  }

  const Line& line_;
  LineWork work_;
};

LineWork line_work(const Line& line) { return LineWorkBuilder(line).result(); }

}  // namespace gdr::isa
