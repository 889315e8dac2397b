#include "print.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "microcode/names.h"
#include "pair/nearest.h"

namespace gdr::compiler {

using isa::Op;
using isa::Width;

std::string spelled(const std::string& name) {
  constexpr std::size_t kLongest = 48;
  std::string made;
  for (const char c : name.substr(0, kLongest)) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    made += letter ? c : '_';
  }
  return made.empty() || (made[0] >= '0' && made[0] <= '9') ? "m" + made : made;
}

bool is_shown(std::string name) {
  std::ranges::replace(name, '.', '_');
  return spelled(name) == name;
}

Names::Names(const Microcode& code) {
  for (const Variable& variable : code.variables) {
    taken_.insert(variable.name.substr(0, variable.name.find('[')));
    if (!variable.view.empty()) taken_.insert(variable.view);
  }
}

std::string Names::take(const std::string& wanted) {
  std::string name;
  for (const char c : wanted.empty() ? std::string("t") : wanted) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
    if (letter)
      name += c;
    else if (c == '[')
      name += '_';
  }
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) name = "t" + name;
  const auto known = [](const std::string& word) {
    for (const isa::WordRole role : {isa::WordRole::statement, isa::WordRole::item, isa::WordRole::attribute}) {
      const auto words = isa::language_words(role);
      if (std::find(words.begin(), words.end(), word) != words.end()) return true;
    }
    return isa::op_named(word).has_value();
  };
  std::string unique = name;
  for (unsigned n = 2; known(unique) || taken_.contains(unique); ++n) unique = fmt::format("{}_{}", name, n);
  taken_.insert(unique);
  return unique;
}

namespace {

std::string in_a_comment(std::string text) {
  for (char& c : text) c = static_cast<unsigned char>(c) < ' ' || c == 0x7f ? '?' : c;
  return text;
}

/// The values of one section, with the names that they have in lines.
class SectionText {
 public:
  /// Words on their way in local memory, by width and number. The sections of experiments have them in common.
  using Slots = std::map<std::pair<bool, unsigned>, std::string>;

  SectionText(const Microcode& code, const Operations& section, const Schedule& schedule, Names& names, Slots& slots)
      : code_(code),
        section_(section),
        schedule_(schedule),
        slot_names_(slots),
        gpr_(section.size()),
        local_(section.size()) {
    for (std::size_t n = 0; n < section.size(); ++n) {
      const Places& places = schedule.places[n];
      const Operation& operation = section[n];
      const auto base = static_cast<std::size_t>(std::max(operation.into, 0));
      const bool merged = operation.into >= 0;
      if (places.gpr) gpr_[n] = merged && !gpr_[base].empty() ? gpr_[base] : names.take(operation.name);
      if (places.local) local_[n] = merged && !local_[base].empty() ? local_[base] : local_name(n, names);
    }
    // A base may come after the value that overwrites it.
    for (std::size_t n = 0; n < section.size(); ++n) {
      if (section[n].into < 0) continue;
      const auto base = static_cast<std::size_t>(section[n].into);
      if (schedule.places[n].gpr) gpr_[n] = gpr_[base];
      if (schedule.places[n].local) local_[n] = local_[base];
    }
  }

  std::string declarations() const {
    std::string text;
    std::map<std::string, bool> done;
    for (std::size_t n = 0; n < section_.size(); ++n) {
      const std::string width = section_[n].width == Width::long_word ? "long " : "short";
      if (!local_[n].empty() && !is_in_common() && !done[local_[n]])
        text += fmt::format("var vector {} {}\n", width, local_[n]), done[local_[n]] = true;
    }
    for (std::size_t n = 0; n < section_.size(); ++n) {
      if (gpr_[n].empty() || done[gpr_[n]]) continue;
      done[gpr_[n]] = true;
      text += fmt::format("reg {} ${}r{}v\n", gpr_[n], section_[n].width == Width::long_word ? "l" : "",
                          schedule_.places[n].address);
    }
    return text;
  }

  /// The section's lines; the places of each of them are appended to `places`.
  std::string lines(const std::vector<std::string>& literal_names, const std::vector<std::string>& variable_names,
                    std::vector<std::vector<PlaceOfLine>>& places) {
    literal_names_ = &literal_names;
    variable_names_ = &variable_names;
    std::vector<std::vector<std::string>> items(schedule_.lines);
    std::vector<std::vector<std::string>> notes(schedule_.lines);
    const std::size_t first = places.size();
    places.resize(first + schedule_.lines);
    std::vector<std::size_t> order(section_.size());
    for (std::size_t n = 0; n < order.size(); ++n) order[n] = n;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return isa::info_of(section_[a].op).unit < isa::info_of(section_[b].op).unit;
    });
    for (const std::size_t n : order) {
      const unsigned line = schedule_.line_of[n];
      if (section_[n].op == Op::FMULL) {
        items[line - 1].push_back("fmulh" + operands(n, line - 1));
        add_place(section_[n], places[first + line - 1]);
      }
      PlaceOfLine* place = add_place(section_[n], places[first + line]);
      if (place != nullptr) add_values(section_[n], *place);
      items[line].push_back(std::string(isa::info_of(section_[n].op).mnemonic) + operands(n, line) + destinations(n));
      std::string note = in_a_comment(section_[n].name);
      if (section_[n].place.line > 0) note += fmt::format("{}{}", note.empty() ? "line " : ":", section_[n].place.line);
      if (!note.empty() && (notes[line].empty() || notes[line].back() != note)) notes[line].push_back(note);
    }
    std::vector<std::string> text;
    std::size_t column = 0;
    for (const auto& line : items) {
      text.push_back(line.empty() ? "  nop" : fmt::format("  {}", fmt::join(line, " ; ")));
      if (text.back().size() < 80) column = std::max(column, text.back().size());
    }
    std::string all;
    for (std::size_t n = 0; n < text.size(); ++n) {
      all += notes[n].empty() ? text[n] : fmt::format("{:{}}  # {}", text[n], column, fmt::join(notes[n], ", "));
      all += '\n';
    }
    return all;
  }

  /// True if words on their way have the names of slots that the sections of experiments have in common.
  [[nodiscard]] bool is_in_common() const { return code_.experiment && schedule_.shared_slots; }

 private:
  /// Null if the operation has no place.
  static PlaceOfLine* add_place(const Operation& operation, std::vector<PlaceOfLine>& places) {
    if (operation.place.line == 0) return nullptr;
    const isa::UnitBits unit = isa::bit_of(isa::info_of(operation.op).unit);
    const auto known = std::ranges::find_if(
        places, [&](const PlaceOfLine& other) { return is_same_line(other.place, operation.place); });
    if (known == places.end()) return &places.emplace_back(PlaceOfLine{operation.place, unit});
    known->units = static_cast<isa::UnitBits>(known->units | unit);
    return &*known;
  }

  static void add_values(const Operation& operation, PlaceOfLine& place) {
    for (const Holder& holder : operation.holders) {
      if (!is_shown(holder.name)) continue;
      const isa::Unit unit = holder.certain ? isa::info_of(operation.op).unit : isa::Unit::none;
      place.values.push_back({unit, holder.name, !is_float(operation.type), holder.bits, holder.is_unsigned});
    }
  }

  /// True if both stand in one line, of a function that the same calls lead to.
  static bool is_same_line(const Place& one, const Place& other) {
    if (one.line != other.line || one.file != other.file || one.function != other.function) return false;
    if (one.call == nullptr || other.call == nullptr) return one.call == other.call;
    return one.call->column == other.call->column && is_same_line(*one.call, *other.call);
  }

  std::string local_name(std::size_t n, Names& names) {
    if (!schedule_.shared_slots) return names.take(section_[n].name);
    const bool wide = section_[n].width == Width::long_word;
    std::string& name = slot_names_[{wide, schedule_.places[n].slot}];
    if (name.empty()) name = names.take(wide ? "spilled_long" : "spilled");
    return name;
  }

  std::string operands(std::size_t n, unsigned line) const {
    std::string text;
    for (std::size_t o = 0; o < section_[n].operands.size(); ++o) {
      text += section_[n].operands[o].negated ? " -" : " ";
      text += operand(section_[n], section_[n].operands[o], schedule_.sources[n][o], line);
    }
    return text;
  }

  std::string operand(const Operation& operation, const Operand& operand, From from, unsigned line) const {
    const auto index = static_cast<std::size_t>(operand.index);
    switch (operand.kind) {
      case Operand::Kind::literal:
        return from == From::immediate ? code_.literals[index].text : (*literal_names_)[index];
      case Operand::Kind::variable: {
        const Variable& variable = code_.variables[index];
        if (operation.vector && variable.record == Record::j && !variable.own) return variable.view;
        const bool home = variable.record == Record::parameter && !variable.own && from != From::broadcast;
        return home ? (*variable_names_)[index] : variable.name;
      }
      case Operand::Kind::value:
        break;
    }
    if (from == From::t) {
      const bool claimed = schedule_.line_of[index] + 1 == line;
      return fmt::format("${}t{}", section_[index].width == Width::long_word ? "l" : "", claimed ? "i" : "");
    }
    const std::string& name = from == From::gpr ? gpr_[index] : local_[index];
    return operand.component < 0 ? name : fmt::format("{}[{}]", name, operand.component);
  }

  std::string destinations(std::size_t n) const {
    const Operation& operation = section_[n];
    const Places& places = schedule_.places[n];
    const std::string wide = operation.width == Width::long_word ? "l" : "";
    std::vector<std::string> all;
    if (!gpr_[n].empty()) all.push_back(gpr_[n]);
    if (!local_[n].empty()) all.push_back(local_[n]);
    if (operation.variable >= 0) all.push_back(code_.variables[static_cast<std::size_t>(operation.variable)].name);
    if (places.t) all.push_back(fmt::format("${}t", wide));
    if (operation.condition && schedule_.flag_of[n] > 0) {
      all.push_back(fmt::format("${}ok{}{}", all.empty() ? wide : "", schedule_.flag_of[n],
                                isa::info_of(*operation.condition).suffix));
    }
    std::string where;
    if (operation.predicate >= 0) {
      where = fmt::format("/{}{}", operation.inverted ? "!" : "",
                          schedule_.flag_of[static_cast<std::size_t>(operation.predicate)]);
    }
    std::string text;
    for (const std::string& one : all) text += " " + one + where;
    return text;
  }

  const Microcode& code_;
  const Operations& section_;
  const Schedule& schedule_;
  Slots& slot_names_;
  std::vector<std::string> gpr_;
  std::vector<std::string> local_;
  const std::vector<std::string>* literal_names_ = nullptr;
  const std::vector<std::string>* variable_names_ = nullptr;
};

class KernelText {
 public:
  explicit KernelText(const Scheduled& kernel)
      : kernel_(kernel),
        code_(kernel.code),
        names_(kernel.code),
        used_(code_.variables.size(), 0),
        literal_names_(code_.literals.size()),
        variable_names_(code_.variables.size()) {
    for (const Operations* section : {&code_.initialization, &code_.body, &code_.termination}) {
      for (const Operation& operation : *section) {
        for (const Operand& operand : operation.operands) {
          if (operand.kind != Operand::Kind::variable) continue;
          for (unsigned n = 0; n < (operation.vector ? isa::kVectorElements : 1U); ++n)
            use(operand.index, n, operation.vector);
        }
        if (operation.variable >= 0) used_[static_cast<std::size_t>(operation.variable)] = 1;
      }
    }
  }

  PrintedKernel text(const std::string& head) {
    std::string all = fmt::format("# {}\nkernel {}{}\n", in_a_comment(head), spelled(kernel_.function.name),
                                  code_.experiment ? " experiment" : fmt::format("\nflops {}", flops()));
    for (std::size_t record = 0; record < kRecords; ++record) all += declarations(static_cast<Record>(record));
    all += own_variables();
    std::array<SectionText::Slots, isa::kSections> slots;
    const auto slots_of = [&](std::size_t section) -> SectionText::Slots& {
      return slots[code_.experiment ? 0 : section];
    };
    SectionText initialization(code_, code_.initialization, kernel_.initialization, names_, slots_of(0));
    SectionText body(code_, code_.body, kernel_.body, names_, slots_of(1));
    SectionText termination(code_, code_.termination, kernel_.termination, names_, slots_of(2));
    std::string places = homes();
    if (code_.experiment) {
      for (const auto& [key, name] : slots[0])
        places += fmt::format("var vector {} {}\n", key.first ? "long " : "short", name);
    }
    places += initialization.declarations() + body.declarations() + termination.declarations();
    if (!places.empty()) all += "\n# values on their way\n" + places;
    PrintedKernel printed{std::move(all), {}, std::move(unused_)};
    if (code_.experiment) {
      if (!setting_.empty()) printed.text += "\nexperiment initialization\n" + setting_;
      add_section(printed, "experiment begin", isa::Section::loop_initialization, initialization, {});
      add_section(printed, "experiment step", isa::Section::loop_body, body, {});
      if (!code_.termination.empty())
        add_section(printed, "experiment end", isa::Section::loop_termination, termination, {});
      return printed;
    }
    add_section(printed, "loop initialization", isa::Section::loop_initialization, initialization, begin());
    add_section(printed, "loop body", isa::Section::loop_body, body, {});
    if (!code_.termination.empty())
      add_section(printed, "loop termination", isa::Section::loop_termination, termination, {});
    return printed;
  }

 private:
  /// Adds a section with `more` lines behind its own.
  void add_section(PrintedKernel& printed, std::string_view name, isa::Section which, SectionText& section,
                   const std::string& more) const {
    const Place& own_function = kernel_.functions[static_cast<std::size_t>(which)];
    const Place& function = own_function.line > 0 ? own_function : kernel_.function.place;
    printed.text += fmt::format("\n{}\n", name);
    auto number = static_cast<unsigned>(std::ranges::count(printed.text, '\n'));
    std::vector<std::vector<PlaceOfLine>> places;
    const std::string own = section.lines(literal_names_, variable_names_, places);
    places.resize(places.size() + static_cast<std::size_t>(std::ranges::count(more, '\n')));
    // Variables without a word are told of once, before all others.
    const auto first = std::ranges::find_if(places, [](const auto& of_line) { return !of_line.empty(); });
    if (which == isa::Section::loop_body && first != places.end()) {
      for (const std::string& name : kernel_.function.wordless) {
        if (is_shown(name)) first->front().values.insert(first->front().values.begin(), {isa::Unit::none, name});
      }
    }
    for (std::vector<PlaceOfLine>& of_line : places) {
      ++number;
      if (of_line.empty() && function.line > 0) of_line.push_back({function});
      if (!of_line.empty()) printed.places.emplace(number, std::move(of_line));
    }
    printed.text += own + more;
  }

  void use(int index, unsigned further, bool vector) {
    const auto at = static_cast<std::size_t>(index);
    if (vector && (at + further >= used_.size() || code_.variables[at + further].record != code_.variables[at].record))
      return;
    used_[at + further] = 1;
    if (vector) viewed_[index] = true;
  }

  std::size_t flops() const {
    return static_cast<std::size_t>(std::count_if(code_.body.begin(), code_.body.end(), [](const Operation& operation) {
      return isa::info_of(operation.op).kind == isa::NumberKind::floating_point;
    }));
  }

  static constexpr const char* kAllowUnused = "  # allow unused: the function does not read all of it\n";
  static const char* width_of(const Field& field) { return is_long(field.type) ? "long" : "short"; }
  static const char* word_of(const Field& field) { return is_float(field.type) ? "flt" : "fix"; }
  static const char* bits_of(const Field& field) { return is_long(field.type) ? "72" : "36"; }

  std::string declarations(Record record) {
    static constexpr const char* kTitles[kRecords] = {"i-particle", "j-particle", "results", "parameters", "state"};
    static constexpr const char* kStart = "start";
    const auto& fields = kernel_.function.records[static_cast<std::size_t>(record)];
    if (fields.empty()) return "";
    const bool starts = code_.experiment && record == Record::i;
    std::string all = fmt::format("\n# {}\n", starts ? kStart : kTitles[static_cast<std::size_t>(record)]);
    std::size_t variable = 0;
    while (variable < code_.variables.size() && code_.variables[variable].record != record) ++variable;
    std::string views;
    for (const Field& field : fields) {
      if (record == Record::parameter) {
        note_unused(record, field, variable);
        for (unsigned n = 0; n < field.count; ++n, ++variable) {
          all += parameter(field, code_.variables[variable].name) + (used_[variable] != 0 ? "\n" : kAllowUnused);
        }
        continue;
      }
      const Variable& first = code_.variables[variable];
      bool all_used = true;
      for (unsigned n = 0; n < field.count; ++n) all_used = all_used && used_[variable + n] != 0;
      const std::string name = first.name.substr(0, first.name.find('['));
      note_unused(record, field, variable);
      all += declaration(record, field, name, variable);
      all += !all_used        ? kAllowUnused
             : field.numbered ? "  # bits 63 to 28: the key as a short word; 27 to 0: the number\n"
                              : "\n";
      if (viewed_[static_cast<int>(variable)]) {
        views += fmt::format("bvar vector {} {} {}\n", width_of(field), first.view, name);
      }
      variable += field.count;
    }
    return all + views;
  }

  /// Members with such a name keep the layout of a record that a program shares.
  static bool fills_layout(const Field& field) {
    static constexpr std::array<std::string_view, 3> kNames{"unused", "pad", "reserved"};
    return std::ranges::any_of(kNames, [&](std::string_view name) { return field.name.starts_with(name); });
  }

  void note_unused(Record record, const Field& field, std::size_t variable) {
    unsigned unused = 0;
    for (unsigned n = 0; n < field.count; ++n) unused += used_[variable + n] == 0 ? 1 : 0;
    if (unused == 0 || fills_layout(field)) return;
    const std::string part = unused == field.count ? "" : fmt::format("{} of {} words of ", unused, field.count);
    const auto tell = [&](std::string text) {
      unused_.push_back({field.place.line > 0 ? field.place : kernel_.function.place, std::move(text)});
    };
    switch (record) {
      case Record::i:
        return tell(code_.experiment
                        ? fmt::format("{}member '{}' of the start: nothing reads it", part, field.name)
                        : fmt::format("{}member '{}' of the i-particle: no pair reads it", part, field.name));
      case Record::state:
        return tell(fmt::format("{}member '{}' of the state: nothing uses it", part, field.name));
      case Record::j:
        return tell(
            fmt::format("{}member '{}' of the j-particle: no pair reads it, and it takes {} clocks "
                        "of the input port in every iteration",
                        part, field.name, unused * isa::kBlocks * isa::kIdpClocksPerWord));
      case Record::result:
        return tell(fmt::format("{}result '{}': no path changes it, so it comes out as 0", part, field.name));
      case Record::parameter:
        return tell(fmt::format("{}parameter '{}': nothing reads it", part, field.name));
    }
  }

  /// The integers of the member's C++ type, after a blank; empty if the host's numbers are all of them. Of members that
  /// are kept beside keys, those that fit there and that the member's words hold.
  static std::string integer_of(const Field& field) {
    if (field.kept != Kept::no) return " " + name_of(kept_integer(field));
    const unsigned bits = field.bits > 0 ? field.bits : field.is_truth ? 1 : 8 * field.bytes;
    if (is_float(field.type) || bits == 0) return "";
    // Numbers travel as signed ones of 64 bits.
    if (bits >= 64) return field.is_signed ? "" : " uint63";
    isa::HostInteger integer;
    integer.bits = static_cast<std::uint8_t>(bits);
    integer.is_signed = field.is_signed;
    return " " + name_of(integer);
  }

  static isa::HostInteger kept_integer(const Field& field) {
    const bool real = is_float(field.type);
    const unsigned declared = field.bits > 0 ? field.bits : 8 * field.bytes;
    const bool is_signed = real || declared == 0 || field.is_signed;
    const unsigned type_bits = real || declared == 0 ? 64 : declared;
    unsigned most_bits = std::min(kNumberBits, is_signed ? type_bits - 1 : type_bits);  // without a sign
    if (field.type == Type::float_short) most_bits = std::min(most_bits, kShortWholeBits);
    const bool below_zero = field.kept == Kept::tested && is_signed;
    return {static_cast<std::uint8_t>(most_bits + (below_zero ? 1 : 0)), below_zero};
  }

  static std::string parameter(const Field& field, const std::string& name) {
    return fmt::format("param {} : {} {}64to{}{} = 0", name, width_of(field), word_of(field), bits_of(field),
                       integer_of(field));
  }

  std::string declaration(Record record, const Field& field, const std::string& name, std::size_t variable) const {
    const std::string shape = field.array ? fmt::format("{}[{}]", name, field.count) : name;
    if (record == Record::i) {
      return fmt::format("var vector {:5} {} hlt {}64to{}{}", width_of(field), shape, word_of(field), bits_of(field),
                         integer_of(field));
    }
    if (record == Record::j) {
      return fmt::format("bvar {:5} {} elt {}64to{}{}", width_of(field), shape, word_of(field), bits_of(field),
                         integer_of(field));
    }
    if (record == Record::state) return fmt::format("var vector {:5} {}", width_of(field), shape);
    if (code_.experiment) {
      return fmt::format("var vector long  {} rrn {}72to64", shape, word_of(field));
    }
    const isa::Op reduction = reduction_of(kernel_.function, code_.reductions, code_.variables[variable].field);
    const std::string lower = field.numbered ? fmt::format(" uint{}", kNumberBits) : "";
    return fmt::format("var vector {:5} {} rrn {}{}to64{} {}", width_of(field), shape, word_of(field), bits_of(field),
                       lower, isa::info_of(reduction).mnemonic);
  }

  std::string own_variables() {
    std::string all;
    for (std::size_t n = 0; n < code_.variables.size(); ++n) {
      const Variable& variable = code_.variables[n];
      if (!variable.own) continue;
      all += fmt::format("var vector {:5} {}\n", variable.width == Width::long_word ? "long" : "short", variable.name);
    }
    return all.empty() ? all : "\n# the same in every turn\n" + all;
  }

  /// Declares the copies of literals and parameters, and gives them names.
  std::string homes() {
    const Schedule& body = kernel_.body;
    std::string all;
    const auto declare = [&](Home home, Width width, unsigned address, const std::string& name) {
      const bool wide = width == Width::long_word;
      if (home == Home::gpr) all += fmt::format("reg {} ${}r{}\n", name, wide ? "l" : "", address);
      if (home == Home::local) all += fmt::format("var scalar {:5} {}\n", wide ? "long" : "short", name);
    };
    for (std::size_t n = 0; n < body.variable_homes.size(); ++n) {
      if (body.variable_homes[n] == Home::none) continue;
      variable_names_[n] = names_.take(code_.variables[n].name + "_here");
      declare(body.variable_homes[n], code_.variables[n].width, body.variable_addresses[n], variable_names_[n]);
      setting_ += fmt::format("  bm {} {}\n", code_.variables[n].name, variable_names_[n]);
    }
    for (std::size_t n = 0; n < body.literal_homes.size(); ++n) {
      if (body.literal_homes[n] == Home::none) continue;
      const Literal& literal = code_.literals[n];
      literal_names_[n] = names_.take("constant");
      declare(body.literal_homes[n], literal.width, body.literal_addresses[n], literal_names_[n]);
      setting_ += fmt::format("  upassa {} {}\n", literal.text, literal_names_[n]);
    }
    return all;
  }

  /// Results begin with the value that their reduction leaves unchanged. Results that are read early are written first.
  std::string begin() const {
    std::vector<std::size_t> results;
    for (std::size_t n = 0; n < code_.variables.size(); ++n) {
      if (code_.variables[n].record == Record::result && !code_.variables[n].own) results.push_back(n);
    }
    const auto read_at_once = [&](std::size_t variable) {
      return read_in_line(variable, code_.body, kernel_.body) ||
             read_in_line(variable, code_.termination, kernel_.termination);
    };
    std::stable_sort(results.begin(), results.end(),
                     [&](std::size_t a, std::size_t b) { return read_at_once(a) && !read_at_once(b); });
    std::string all = setting_;
    std::size_t first = 0;
    while (first < code_.variables.size() && code_.variables[first].record != Record::result) ++first;
    for (const std::size_t n : results) {
      const Op reduction = code_.reductions[n - first].op;
      const bool numbered = field_of(code_.variables[n]).numbered;
      const std::string bits = all_bits_of(field_of(code_.variables[n]), reduction, code_.variables[n].width);
      if (numbered) all += "  # allow identity: what no key comes up to, and the number of nobody\n";
      if (!bits.empty()) all += "  # allow identity: all bits of the type\n";
      all += fmt::format("  {} {}{}\n",
                         numbered       ? nobody(reduction)
                         : bits.empty() ? identity(reduction, code_.variables[n].width)
                                        : bits,
                         code_.variables[n].name,
                         is_of_the_end(n) && !numbered ? "  # allow unused: the end writes it" : "");
    }
    if (results.empty() || read_at_once(results.back())) all += "  nop\n";
    return all;
  }

  /// Whether the section reads or writes the variable.
  static bool mentions(const Operations& section, std::size_t variable) {
    const auto index = static_cast<int>(variable);
    return std::ranges::any_of(section, [&](const Operation& operation) {
      return operation.variable == index || std::ranges::any_of(operation.operands, [&](const Operand& operand) {
               return operand.kind == Operand::Kind::variable && operand.index == index;
             });
    });
  }

  /// Whether the function for the end uses the variable and the pair function does not.
  bool is_of_the_end(std::size_t variable) const {
    return !mentions(code_.body, variable) && mentions(code_.termination, variable);
  }

  const Field& field_of(const Variable& variable) const {
    return kernel_.function.records[static_cast<std::size_t>(variable.record)][variable.field];
  }

  /// A value beyond every key, within the 64 bits that the host receives.
  static std::string nobody(Op reduction) {
    return fmt::format("upassa hl\"{}fffffff\"", reduction == Op::UMIN ? "007ffffffff" : "ff800000000");
  }

  /// All bits of an integer without a sign, which a host takes for a number of its type; empty: -1 has them.
  static std::string all_bits_of(const Field& field, Op reduction, Width width) {
    if (reduction != Op::UAND || field.is_signed || field.bytes == 0 || 8 * field.bytes >= 64) return "";
    return fmt::format("upassa {}\"{}\"", width == Width::long_word ? "il" : "is",
                       field.is_truth ? 1 : (std::uint64_t{1} << 8 * field.bytes) - 1);
  }

  static bool read_in_line(std::size_t variable, const Operations& section, const Schedule& schedule) {
    for (std::size_t n = 0; n < section.size(); ++n) {
      const unsigned first = section[n].op == Op::FMULL ? schedule.line_of[n] - 1 : schedule.line_of[n];
      if (first > 0) continue;
      for (const Operand& operand : section[n].operands) {
        if (operand.kind == Operand::Kind::variable && operand.index == static_cast<int>(variable)) return true;
      }
    }
    return false;
  }

  static std::string identity(Op reduction, Width width) {
    const bool wide = width == Width::long_word;
    const isa::OperationInfo& info = isa::info_of(reduction);
    if (info.kind == isa::NumberKind::floating_point && info.neutral != isa::Identity::zero) {
      return fmt::format("fpassa f\"{}inf\"", info.neutral == isa::Identity::least ? "-" : "");
    }
    const std::string digits(wide ? 17 : 8, info.neutral == isa::Identity::least ? '0' : 'f');
    const char* sign = info.neutral == isa::Identity::least ? "8" : info.neutral == isa::Identity::greatest ? "7" : "f";
    if (info.neutral == isa::Identity::zero) return fmt::format("upassa {}\"0\"", wide ? "il" : "is");
    return fmt::format("upassa {}\"{}{}\"", wide ? "hl" : "hs", sign, digits);
  }

  const Scheduled& kernel_;
  const Microcode& code_;
  Names names_;
  std::vector<char> used_;
  std::map<int, bool> viewed_;
  std::vector<std::string> literal_names_;
  std::vector<std::string> variable_names_;
  std::string setting_;  // lines that copy literals and parameters
  std::vector<Message> unused_;
};

}  // namespace

PrintedKernel source_of(const Scheduled& kernel, const std::string& head) { return KernelText(kernel).text(head); }

}  // namespace gdr::compiler
