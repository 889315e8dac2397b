// The object file: an ELF64 container with the code of each section, and one JSON document for everything else.
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/mman.h>
#include <unistd.h>
#include <bit>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <map>
#include <memory>

#include "gdr/base/digest.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/base/json.h"
#include "gdr/base/json_value.h"
#include "gdr/base/memory_file.h"
#include "gdr/isa/program.h"

namespace gdr::isa {
namespace {

using base::Json;
using base::JsonValue;

constexpr std::string_view kMetaSection = ".gdr.meta";
constexpr std::string_view kDigestSection = ".gdr.sha256";
constexpr std::array<std::string_view, kSections> kCodeSections{".text.initialization", ".text.loop_initialization",
                                                                ".text.loop_body", ".text.loop_termination"};
constexpr std::size_t kWordBytes = kInstructionBits / 8;

using Bytes = std::vector<std::byte>;

Bytes bytes_of(std::string_view text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

// ---- metadata as JSON --------------------------------------------------------------------------------------------

Json to_json(const SourcePosition& position) {
  Json value{position.file, position.line, position.column};
  if (position.origin != 0 || position.function != 0) value.push_back(position.origin);
  if (position.function != 0) value.push_back(position.function);
  return value;
}

SourcePosition position_from(const JsonValue& value) {
  SourcePosition position{value.at(0).whole<std::uint32_t>(), value.at(1).whole<std::uint32_t>(),
                          value.at(2).whole<std::uint32_t>()};
  if (value.list().size() > 3) position.origin = value.at(3).whole<std::uint32_t>();
  if (value.list().size() > 4) position.function = value.at(4).whole<std::uint32_t>();
  return position;
}

constexpr std::array<std::string_view, 3> kMemoryNames{"gpr", "lm", "bm"};
constexpr std::array<std::string_view, 2> kWidthNames{"long", "short"};

template <std::size_t size>
std::size_t index_of(const std::array<std::string_view, size>& names, const std::string& name) {
  for (std::size_t index = 0; index < size; ++index) {
    if (names[index] == name) return index;
  }
  throw Error(fmt::format("'{}' is no known name", name));
}

template <class Value>
Value value_or_refuse(const std::optional<Value>& value, const std::string& name) {
  if (!value) throw Error(fmt::format("'{}' is no known name", name));
  return *value;
}

Conversion conversion_from(const JsonValue& value) {
  const std::string& name = value.text();
  return value_or_refuse(conversion_named(name), name);
}

HostInteger integer_from(const JsonValue& value) {
  if (!value.contains("integer")) return {};
  const std::string& name = value.at("integer").text();
  return value_or_refuse(host_integer_named(name), name);
}

Json to_json(const Variable& variable) {
  Json value{{"name", variable.name},
             {"memory", kMemoryNames[static_cast<std::size_t>(variable.memory)]},
             {"address", variable.address},
             {"width", kWidthNames[static_cast<std::size_t>(variable.width)]},
             {"vector", variable.vector},
             {"packed", variable.packed},
             {"elements", variable.elements},
             {"dimensions", variable.dimensions},
             {"transfer", name_of(variable.transfer)},
             {"position", to_json(variable.position)}};
  if (variable.conversion) value["conversion"] = info_of(*variable.conversion).name;
  if (variable.reduction) value["reduction"] = info_of(*variable.reduction).mnemonic;
  if (variable.block != 0) value["block"] = variable.block;
  if (!variable.integer.is_any()) value["integer"] = name_of(variable.integer);
  return value;
}

Variable variable_from(const JsonValue& value) {
  Variable variable;
  variable.name = value.at("name").text();
  variable.memory = static_cast<Memory>(index_of(kMemoryNames, value.at("memory").text()));
  variable.address = value.at("address").whole<std::uint16_t>();
  variable.width = static_cast<Width>(index_of(kWidthNames, value.at("width").text()));
  variable.vector = value.at("vector").boolean();
  variable.packed = value.at("packed").boolean();
  variable.elements = value.at("elements").whole<std::uint16_t>();
  for (const JsonValue& dimension : value.at("dimensions").list()) {
    variable.dimensions.push_back(dimension.whole<std::uint16_t>());
  }
  const std::string& transfer = value.at("transfer").text();
  variable.transfer = value_or_refuse(transfer_named(transfer), transfer);
  if (value.contains("conversion")) variable.conversion = conversion_from(value.at("conversion"));
  if (value.contains("reduction")) {
    const std::string& name = value.at("reduction").text();
    variable.reduction = value_or_refuse(op_named(name), name);
  }
  if (value.contains("block")) variable.block = value.at("block").whole<std::uint8_t>();
  variable.integer = integer_from(value);
  variable.position = position_from(value.at("position"));
  return variable;
}

Json to_json(const Parameter& parameter) {
  Json value{{"name", parameter.name},
             {"address", parameter.address},
             {"width", kWidthNames[static_cast<std::size_t>(parameter.width)]},
             {"conversion", info_of(parameter.conversion).name},
             {"default", parameter.default_value},
             {"position", to_json(parameter.position)}};
  if (!parameter.integer.is_any()) value["integer"] = name_of(parameter.integer);
  return value;
}

Parameter parameter_from(const JsonValue& value) {
  Parameter parameter;
  parameter.name = value.at("name").text();
  parameter.address = value.at("address").whole<std::uint16_t>();
  parameter.width = static_cast<Width>(index_of(kWidthNames, value.at("width").text()));
  parameter.conversion = conversion_from(value.at("conversion"));
  parameter.default_value = value.at("default").number();
  parameter.integer = integer_from(value);
  parameter.position = position_from(value.at("position"));
  return parameter;
}

constexpr std::string_view kTName = "t";  // as the memory of an alias

Json to_json(const Alias& alias) {
  return {{"name", alias.name},
          {"memory", alias.memory ? kMemoryNames[static_cast<std::size_t>(*alias.memory)] : kTName},
          {"record", alias.record},
          {"address", alias.address},
          {"width", kWidthNames[static_cast<std::size_t>(alias.width)]},
          {"vector", alias.vector},
          {"position", to_json(alias.position)}};
}

Alias alias_from(const JsonValue& value) {
  Alias alias;
  alias.name = value.at("name").text();
  if (const auto memory = value.at("memory").text(); memory != kTName) {
    alias.memory = static_cast<Memory>(index_of(kMemoryNames, memory));
  }
  alias.record = value.at("record").boolean();
  alias.address = value.at("address").whole<std::uint16_t>();
  alias.width = static_cast<Width>(index_of(kWidthNames, value.at("width").text()));
  alias.vector = value.at("vector").boolean();
  alias.position = position_from(value.at("position"));
  return alias;
}

Json to_json(const MovedOperation& operation) {
  Json value{
      {"section", key_of(operation.section)}, {"line", operation.line}, {"position", to_json(operation.position)}};
  if (operation.units != 0) value["units"] = operation.units;
  return value;
}

Json to_json(const ComputedValue& value) {
  Json made{
      {"section", key_of(value.section)}, {"line", value.line}, {"unit", bit_of(value.unit)}, {"name", value.name}};
  if (value.integer) made["integer"] = true;
  if (value.bits != 0) made["bits"] = value.bits;
  if (value.is_unsigned) made["unsigned"] = true;
  return made;
}

Json to_json(const Origin& origin) {
  return {{"macro", origin.macro}, {"what", origin.what}, {"position", to_json(origin.position)}};
}

Origin origin_from(const JsonValue& value) {
  return {value.at("macro").text(), value.at("what").text(), position_from(value.at("position"))};
}

Json to_json(const SourceFunction& function) {
  Json value{{"name", function.name}};
  if (function.call) value["call"] = to_json(*function.call);
  return value;
}

SourceFunction function_from(const JsonValue& value) {
  SourceFunction function{value.at("name").text(), std::nullopt};
  if (value.contains("call")) function.call = position_from(value.at("call"));
  return function;
}

Json to_json(const ExpandedText& expanded) {
  return {{"position", to_json(expanded.position)}, {"text", expanded.text}};
}

ExpandedText expanded_from(const JsonValue& value) {
  return {position_from(value.at("position")), value.at("text").text()};
}

Section section_from(const JsonValue& value) {
  std::array<std::string_view, kSections> keys;
  for (std::size_t n = 0; n < kSections; ++n) keys[n] = key_of(static_cast<Section>(n));
  return static_cast<Section>(index_of(keys, value.text()));
}

MovedOperation moved_from(const JsonValue& value) {
  return {section_from(value.at("section")), value.at("line").whole<std::uint32_t>(),
          position_from(value.at("position")),
          value.contains("units") ? value.at("units").whole<UnitBits>() : UnitBits{0}};
}

ComputedValue computed_from(const JsonValue& value) {
  const auto unit = value.at("unit").whole<UnitBits>();
  if (!std::has_single_bit(unit))
    throw Error(fmt::format("a computed value has unit {}, which is no power of 2", unit));
  return {section_from(value.at("section")),
          value.at("line").whole<std::uint32_t>(),
          static_cast<Unit>(std::countr_zero(unit)),
          value.at("name").text(),
          value.contains("integer") && value.at("integer").boolean(),
          value.contains("bits") ? value.at("bits").whole<std::uint8_t>() : std::uint8_t{0},
          value.contains("unsigned") && value.at("unsigned").boolean()};
}

/// An entry of the key `moves`: a transfer or collect, and the line of the section before which it comes.
struct MoveEntry {
  Section section = Section::initialization;
  std::size_t line = 0;
  Step step;
};

constexpr std::string_view kEachBlock = "each";

Json to_json(std::string_view kind, const CollectStep& move, Section section, std::size_t line) {
  Json value{{"move", kind},
             {"section", key_of(section)},
             {"line", line},
             {"variable", move.variable},
             {"first", move.first},
             {"entries", move.entries},
             {"not_first", move.not_first},
             {"position", to_json(move.position)}};
  switch (move.blocks.kind) {
    case BlockChoice::Kind::reduced:
      break;
    case BlockChoice::Kind::one:
      value["block"] = move.blocks.block;
      break;
    case BlockChoice::Kind::each:
      value["blocks"] = kEachBlock;
      break;
  }
  return value;
}

BlockChoice blocks_from(const JsonValue& move) {
  if (move.contains("block")) return {BlockChoice::Kind::one, move.at("block").whole<std::uint8_t>()};
  if (!move.contains("blocks")) return {};
  const std::string& choice = move.at("blocks").text();
  if (choice != kEachBlock) throw Error(fmt::format("'{}' is no known choice of blocks", choice));
  return {BlockChoice::Kind::each};
}

/// Transfers and collects in the order of their sections and lines.
Json moves_of(const Program& program) {
  Json moves = Json::array();
  for (std::size_t section = 0; section < kSections; ++section) {
    std::size_t line = 0;
    const auto add = [&](std::string_view kind, const CollectStep& move) {
      moves.push_back(to_json(kind, move, static_cast<Section>(section), line));
    };
    const Visitor visitor{
        [&](const ProgramLine&) { ++line; },
        [&](const TransferStep& transfer) { add(TransferStep::kName, {0, 0, 0, false, transfer.position}); },
        [&](const CollectStep& collect) { add(CollectStep::kName, collect); }};
    for (const Step& step : program.sections[section]) std::visit(visitor, step);
  }
  return moves;
}

MoveEntry move_from(const JsonValue& value) {
  CollectStep move;
  move.variable = value.at("variable").whole<std::uint16_t>();
  move.first = value.at("first").whole<std::uint16_t>();
  move.entries = value.at("entries").whole<std::uint16_t>();
  move.not_first = value.at("not_first").boolean();
  move.position = position_from(value.at("position"));
  move.blocks = blocks_from(value);
  MoveEntry entry;
  entry.section = section_from(value.at("section"));
  entry.line = value.at("line").whole<std::uint16_t>();
  static constexpr std::array<std::string_view, 2> kKinds{TransferStep::kName, CollectStep::kName};
  if (kKinds[index_of(kKinds, value.at("move").text())] == CollectStep::kName) {
    entry.step = move;
  } else {
    if (move != CollectStep{0, 0, 0, false, move.position}) throw Error("a transfer names entries of a variable");
    entry.step = TransferStep{move.position};
  }
  return entry;
}

/// Inserts moves between the lines of a section; `moves` are in the order of these lines.
std::vector<Step> steps_of(Section section, const std::vector<ProgramLine>& lines,
                           const std::vector<MoveEntry>& moves) {
  std::vector<Step> steps;
  steps.reserve(lines.size());
  std::size_t line = 0;
  for (const MoveEntry& move : moves) {
    if (move.section != section) continue;
    if (move.line < line || move.line > lines.size()) {
      throw Error(fmt::format("a move stands at line {} of '{}', which has {} lines; the move before it stands at {}",
                              move.line, name_of(section), lines.size(), line));
    }
    while (line < move.line) steps.emplace_back(lines[line++]);
    steps.push_back(move.step);
  }
  while (line < lines.size()) steps.emplace_back(lines[line++]);
  return steps;
}

Json metadata_of(const Program& program) {
  Json meta{{"object_version", program.names_blocks() ? kObjectVersionOfBlocks : kObjectVersion},
            {"isa_version", kIsaVersion},
            {"kernel", program.kernel},
            {"files", program.files},
            {"record_words", program.record_words},
            {"flops", program.flops}};
  meta["variables"] = Json::array();
  for (const Variable& variable : program.variables) meta["variables"].push_back(to_json(variable));
  if (program.is_type2()) {  // files of Type I keep their old form
    meta["moves"] = moves_of(program);
  }
  meta["parameters"] = Json::array();
  for (const Parameter& parameter : program.parameters) meta["parameters"].push_back(to_json(parameter));
  if (!program.aliases.empty()) {
    meta["aliases"] = Json::array();
    for (const Alias& alias : program.aliases) meta["aliases"].push_back(to_json(alias));
  }
  if (!program.moved.empty()) {
    meta["moved"] = Json::array();
    for (const MovedOperation& operation : program.moved) meta["moved"].push_back(to_json(operation));
  }
  if (!program.values.empty()) {
    meta["values"] = Json::array();
    for (const ComputedValue& value : program.values) meta["values"].push_back(to_json(value));
  }
  if (!program.origins.empty()) {
    meta["origins"] = Json::array();
    for (const Origin& origin : program.origins) meta["origins"].push_back(to_json(origin));
  }
  if (!program.functions.empty()) {
    meta["functions"] = Json::array();
    for (const SourceFunction& function : program.functions) meta["functions"].push_back(to_json(function));
  }
  if (!program.expanded.empty()) {
    meta["expanded"] = Json::array();
    for (const ExpandedText& expanded : program.expanded) meta["expanded"].push_back(to_json(expanded));
  }
  for (std::size_t section = 0; section < kSections; ++section) {
    Json& lines = meta["lines"][std::string(key_of(static_cast<Section>(section)))] = Json::array();
    for (const ProgramLine& line : program.lines(static_cast<Section>(section))) {
      lines.push_back(to_json(line.position));
    }
  }
  meta.sort_keys();
  return meta;
}

// ---- ELF ---------------------------------------------------------------------------------------------------------

struct ElfCloser {
  void operator()(Elf* elf) const { elf_end(elf); }
};
using ElfHandle = std::unique_ptr<Elf, ElfCloser>;

/// A file in memory, since libelf writes to a file descriptor. It takes no folder that can be written to.
class ScratchFile {
 public:
  ScratchFile() {
    const int descriptor = memfd_create("object", MFD_CLOEXEC);
    file_ = descriptor < 0 ? nullptr : fdopen(descriptor, "w+");
    if (file_ != nullptr) return;
    const int reason = errno;
    if (descriptor >= 0) close(descriptor);
    throw Error(fmt::format("no file in memory for the object: {}", std::strerror(reason)));
  }
  ~ScratchFile() { std::fclose(file_); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  [[nodiscard]] int descriptor() const { return fileno(file_); }
  [[nodiscard]] Bytes contents() const {
    std::fseek(file_, 0, SEEK_END);
    Bytes bytes(static_cast<std::size_t>(std::ftell(file_)));
    std::fseek(file_, 0, SEEK_SET);
    GDR_ASSERT(std::fread(bytes.data(), 1, bytes.size(), file_) == bytes.size(), "a file just written reads back");
    return bytes;
  }

 private:
  std::FILE* file_ = nullptr;
};

[[noreturn]] void elf_failed(std::string_view what) {
  const int error = errno;
  throw Error(fmt::format("cannot {} the object file: {}{}", what, elf_errmsg(-1),
                          error == EFBIG ? ": " + base::memory_file_reason(error) : ""));
}

struct NamedSection {
  std::string_view name;
  Bytes content;
  bool code = false;
  std::size_t offset = 0;  // in the file
};

Bytes code_bytes(const std::vector<ProgramLine>& lines) {
  Bytes bytes;
  for (const ProgramLine& line : lines) {
    for (const std::uint64_t part : line.word.parts) {
      for (unsigned shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<std::byte>(part >> shift));
    }
  }
  return bytes;
}

Bytes write_elf(std::vector<NamedSection> sections) {
  std::string names(1, '\0');
  std::vector<std::size_t> name_offsets;
  sections.push_back({".shstrtab", {}});
  for (const NamedSection& section : sections) {
    name_offsets.push_back(names.size());
    names += section.name;
    names += '\0';
  }
  sections.back().content = bytes_of(names);

  elf_version(EV_CURRENT);
  const ScratchFile file;
  const ElfHandle elf(elf_begin(file.descriptor(), ELF_C_WRITE, nullptr));
  if (!elf || gelf_newehdr(elf.get(), ELFCLASS64) == nullptr) elf_failed("begin");
  GElf_Ehdr header{};
  gelf_getehdr(elf.get(), &header);
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_REL;
  header.e_machine = EM_NONE;
  header.e_version = EV_CURRENT;
  for (std::size_t index = 0; index < sections.size(); ++index) {
    NamedSection& section = sections[index];
    Elf_Scn* scn = elf_newscn(elf.get());
    Elf_Data* data = scn != nullptr ? elf_newdata(scn) : nullptr;
    if (data == nullptr) elf_failed("write");
    data->d_align = 8;
    data->d_buf = section.content.data();
    data->d_size = section.content.size();
    data->d_type = ELF_T_BYTE;
    data->d_version = EV_CURRENT;
    GElf_Shdr section_header{};
    gelf_getshdr(scn, &section_header);
    section_header.sh_name = static_cast<GElf_Word>(name_offsets[index]);
    section_header.sh_type = index + 1 == sections.size() ? SHT_STRTAB : SHT_PROGBITS;
    section_header.sh_flags = section.code ? SHF_EXECINSTR : 0;
    gelf_update_shdr(scn, &section_header);
  }
  header.e_shstrndx = static_cast<GElf_Half>(sections.size());
  gelf_update_ehdr(elf.get(), &header);
  errno = 0;
  if (elf_update(elf.get(), ELF_C_WRITE) < 0) elf_failed("write");
  return file.contents();
}

/// The sections with known names. Throws gdr::Error with what is wrong with the container.
std::vector<NamedSection> read_elf(std::span<const std::byte> bytes) {
  static constexpr std::array<char, 4> kMagic{'\x7f', 'E', 'L', 'F'};
  if (bytes.size() < sizeof(Elf64_Ehdr) || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0) {
    throw Error("it is no ELF file");
  }
  elf_version(EV_CURRENT);
  Bytes copy(bytes.begin(), bytes.end());  // libelf needs writable memory
  const ElfHandle elf(elf_memory(reinterpret_cast<char*>(copy.data()), copy.size()));
  std::size_t names = 0;
  if (!elf || elf_getshdrstrndx(elf.get(), &names) != 0) {
    throw Error(fmt::format("its ELF structure is damaged: {}", elf_errmsg(-1)));
  }
  std::vector<NamedSection> sections;
  for (Elf_Scn* scn = elf_nextscn(elf.get(), nullptr); scn != nullptr; scn = elf_nextscn(elf.get(), scn)) {
    GElf_Shdr section_header{};
    const char* name = nullptr;
    if (gelf_getshdr(scn, &section_header) == nullptr ||
        (name = elf_strptr(elf.get(), names, section_header.sh_name)) == nullptr) {
      throw Error(fmt::format("its ELF section table is damaged: {}", elf_errmsg(-1)));
    }
    for (const std::string_view known :
         {kCodeSections[0], kCodeSections[1], kCodeSections[2], kCodeSections[3], kMetaSection, kDigestSection}) {
      if (known != name) continue;
      const Elf_Data* data = elf_rawdata(scn, nullptr);
      if (data == nullptr) throw Error(fmt::format("section {} is damaged: {}", known, elf_errmsg(-1)));
      const auto* first = static_cast<const std::byte*>(data->d_buf);
      const Bytes content = first == nullptr ? Bytes() : Bytes(first, first + data->d_size);
      sections.push_back({known, content, false, section_header.sh_offset});
    }
  }
  return sections;
}

std::vector<InstructionWord> words_of(const Bytes& bytes, std::string_view section) {
  if (bytes.size() % kWordBytes != 0) throw Error(fmt::format("{} ends within an instruction word", section));
  std::vector<InstructionWord> words(bytes.size() / kWordBytes);
  for (std::size_t index = 0; index < bytes.size(); ++index) {
    const std::size_t within = index % kWordBytes;
    words[index / kWordBytes].parts[within / 8] |= std::to_integer<std::uint64_t>(bytes[index]) << (within % 8 * 8);
  }
  return words;
}

Program program_from(const std::vector<NamedSection>& sections) {
  std::map<std::string_view, const Bytes*> by_name;
  for (const NamedSection& section : sections) by_name[section.name] = &section.content;
  const auto content = [&](std::string_view name) -> const Bytes& {
    const auto found = by_name.find(name);
    if (found == by_name.end()) throw Error(fmt::format("section {} is missing", name));
    return *found->second;
  };
  const Bytes& description = content(kMetaSection);
  const JsonValue meta = base::parse_json({reinterpret_cast<const char*>(description.data()), description.size()});
  const auto object_version = meta.at("object_version").whole<std::uint32_t>();
  const auto isa_version = meta.at("isa_version").whole<std::uint32_t>();
  if (object_version != kObjectVersion && object_version != kObjectVersionOfBlocks) {
    throw Error(fmt::format("it has object version {}, this program reads {} and {}", object_version, kObjectVersion,
                            kObjectVersionOfBlocks));
  }
  if (isa_version != kIsaVersion) {
    throw Error(
        fmt::format("it was assembled for instruction set {}, this program knows {}", isa_version, kIsaVersion));
  }
  Program program;
  program.kernel = meta.at("kernel").text();
  for (const JsonValue& file : meta.at("files").list()) program.files.push_back(file.text());
  program.record_words = meta.at("record_words").whole<std::uint16_t>();
  program.flops = meta.at("flops").number();
  for (const JsonValue& value : meta.at("variables").list()) program.variables.push_back(variable_from(value));
  for (const JsonValue& value : meta.at("parameters").list()) program.parameters.push_back(parameter_from(value));
  if (meta.contains("aliases")) {
    for (const JsonValue& value : meta.at("aliases").list()) program.aliases.push_back(alias_from(value));
  }
  if (meta.contains("moved")) {
    for (const JsonValue& value : meta.at("moved").list()) program.moved.push_back(moved_from(value));
  }
  if (meta.contains("values")) {
    for (const JsonValue& value : meta.at("values").list()) program.values.push_back(computed_from(value));
  }
  if (meta.contains("origins")) {
    for (const JsonValue& value : meta.at("origins").list()) program.origins.push_back(origin_from(value));
  }
  if (meta.contains("functions")) {
    for (const JsonValue& value : meta.at("functions").list()) program.functions.push_back(function_from(value));
  }
  if (meta.contains("expanded")) {
    for (const JsonValue& value : meta.at("expanded").list()) program.expanded.push_back(expanded_from(value));
  }
  std::vector<MoveEntry> moves;
  if (meta.contains("moves")) {
    for (const JsonValue& value : meta.at("moves").list()) moves.push_back(move_from(value));
  }
  for (std::size_t section = 0; section < kSections; ++section) {
    const auto words = words_of(content(kCodeSections[section]), kCodeSections[section]);
    const JsonValue::List& lines = meta.at("lines").at(key_of(static_cast<Section>(section))).list();
    if (lines.size() != words.size()) {
      throw Error(
          fmt::format("{} has {} words but {} line entries", kCodeSections[section], words.size(), lines.size()));
    }
    std::vector<ProgramLine> coded(words.size());
    for (std::size_t index = 0; index < words.size(); ++index) {
      coded[index] = {words[index], position_from(lines[index])};
    }
    program.sections[section] = steps_of(static_cast<Section>(section), coded, moves);
  }
  const auto written = program.names_blocks() ? kObjectVersionOfBlocks : kObjectVersion;
  if (object_version != written) {
    throw Error(fmt::format("it has object version {}, but its contents are of version {}", object_version, written));
  }
  return program;
}

constexpr std::size_t kDigestBytes = 64;  // SHA-256 in hexadecimal

/// SHA-256 of the whole file, with zeros in place of the digest itself.
Bytes digest_of(Bytes file, std::size_t digest_offset) {
  std::fill_n(file.begin() + static_cast<std::ptrdiff_t>(digest_offset), kDigestBytes, std::byte{0});
  return bytes_of(base::sha256_hex(file));
}

const NamedSection& digest_section(const std::vector<NamedSection>& sections) {
  const auto found = std::find_if(sections.begin(), sections.end(),
                                  [](const NamedSection& section) { return section.name == kDigestSection; });
  if (found == sections.end() || found->content.size() != kDigestBytes) throw Error("its checksum is missing");
  return *found;
}

}  // namespace

std::vector<std::byte> serialize(const Program& program) {
  std::vector<NamedSection> sections;
  for (std::size_t section = 0; section < kSections; ++section) {
    sections.push_back({kCodeSections[section], code_bytes(program.lines(static_cast<Section>(section))), true});
  }
  // text() replaces bytes that are not UTF-8, which names of files may contain.
  sections.push_back({kMetaSection, bytes_of(metadata_of(program).text(1))});
  sections.push_back({kDigestSection, Bytes(kDigestBytes)});
  Bytes file = write_elf(std::move(sections));
  const std::size_t offset = digest_section(read_elf(file)).offset;
  const Bytes digest = digest_of(file, offset);
  std::copy(digest.begin(), digest.end(), file.begin() + static_cast<std::ptrdiff_t>(offset));
  return file;
}

Program deserialize(std::span<const std::byte> bytes, std::string_view name) {
  try {
    const std::vector<NamedSection> sections = read_elf(bytes);
    const NamedSection& digest = digest_section(sections);
    if (digest.content != digest_of(Bytes(bytes.begin(), bytes.end()), digest.offset)) {
      throw Error("its checksum does not match: it is damaged");
    }
    Program program = program_from(sections);
    validate(program);
    return program;
  } catch (const base::JsonError& error) {
    throw Error(fmt::format("{}: refused as object file: its description is malformed: {}", name, error.what()));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: refused as object file: {}", name, error.what()));
  }
}

Program read_object(const std::filesystem::path& path) {
  const std::string content = base::read_file(path);
  return deserialize(std::as_bytes(std::span(content)), path.string());
}

void write_object(const Program& program, const std::filesystem::path& path) {
  const auto bytes = serialize(program);
  base::write_file(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace gdr::isa
