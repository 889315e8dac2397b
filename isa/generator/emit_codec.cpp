// Writes the encoder and decoder of fields.
#include <map>

#include "emit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/TableGen/Error.h"

namespace gdr::generator {
namespace {

struct FieldAccess {
  std::string encode;   // statement that takes the member's bits, or throws
  std::string decode;   // statement that sets the member from `bits`
  std::string is_type;  // what must hold of the member's type
};

std::uint64_t mask_of(std::int64_t width) { return ~std::uint64_t{0} >> (64 - width); }

/// How single fields are encoded and decoded, by their types.
class Codec {
 public:
  explicit Codec(const Record& field)
      : type_(*field.getValueAsDef("Type")),
        name_(quoted(field.getValueAsString("Member"))),
        member_("line." + field.getValueAsString("Member").str()),
        declared_("decltype(Line{}." + field.getValueAsString("Member").str() + ")"),
        width_(width_of(field)),
        all_ones_("0x" + llvm::utohexstr(mask_of(width_), true) + "u") {}

  [[nodiscard]] FieldAccess access() const {
    const StringRef type = type_.getValueAsString("Name");
    if (type == "flag") {
      return {"bits = std::uint64_t{" + member_ + "};", member_ + " = bits != 0;", is("bool")};
    }
    if (type == "count") {
      return {checked("std::uint64_t{" + member_ + "}", "1", all_ones_ + " + 1") + " --bits;",
              member_ + " = static_cast<std::uint8_t>(bits + 1);", is("std::uint8_t")};
    }
    if (type == "width") {
      return {"bits = std::uint64_t{" + member_ + " == Width::long_word};",
              member_ + " = bits != 0 ? Width::long_word : Width::short_word;", is("Width")};
    }
    if (type == "unit") return code("Unit", "kUnits");
    if (type == "source") return code("Source", "kSources - 1");
    if (type == "condition") return code("Condition", "kConditions - 1");
    if (type == "bm_mode") return code("BmMode", "kBmModes - 1");
    if (type == "flag_number") return code("std::uint8_t", "kFlags");
    return type_.isSubClassOf("Opcode") ? opcode() : number();
  }

 private:
  [[nodiscard]] std::string is(StringRef type) const { return "std::is_same_v<" + declared_ + ", " + type.str() + ">"; }

  [[nodiscard]] std::string checked(const std::string& value, const std::string& least, const std::string& most) const {
    return "bits = checked(" + name_ + ", " + value + ", " + least + ", " + most + ");";
  }

  [[nodiscard]] std::string refuse_if(const std::string& condition) const {
    return "if (" + condition + ") return undefined(" + name_ + ", bits);\n    ";
  }

  [[nodiscard]] FieldAccess number() const {
    return {checked("std::uint64_t{" + member_ + "}", "0", all_ones_),
            member_ + " = static_cast<decltype(" + member_ + ")>(bits);",
            "kNumberOf<" + std::to_string(width_) + ", " + declared_ + ">"};
  }

  [[nodiscard]] FieldAccess code(const std::string& cpp, const std::string& most) const {
    return {checked("static_cast<std::uint64_t>(" + member_ + ")", "0", most),
            refuse_if("bits > " + most) + member_ + " = static_cast<" + cpp + ">(bits);", is(cpp)};
  }

  [[nodiscard]] FieldAccess opcode() const {
    const std::string unit = "Unit::" + name_in(type_, "Steers").str();
    const std::string op = "op_from(" + unit + ", bits)";
    return {"bits = checked_opcode(" + name_ + ", " + unit + ", " + member_ + ");",
            refuse_if("!" + op) + member_ + " = *" + op + ";", is("Op")};
  }

  const Record& type_;
  std::string name_;
  std::string member_;
  std::string declared_;  // the member's type
  std::int64_t width_;
  std::string all_ones_;
};

void emit_encoder(raw_ostream& out, const RecordKeeper& keeper) {
  out << "InstructionWord encode(const Line& line) {\n  InstructionWord word;\n  std::uint64_t bits = 0;\n";
  for (const Record* field : records_of(keeper, "Field")) {
    const std::int64_t lsb = field->getValueAsInt("Lsb");
    out << "  " << Codec(*field).access().encode << "\n  word.parts[" << lsb / 64 << "] |= bits << " << lsb % 64
        << ";\n";
  }
  out << "  return word;\n}\n\n";
}

void emit_decoder(raw_ostream& out, const RecordKeeper& keeper) {
  const auto fields = records_of(keeper, "Field");
  std::map<std::int64_t, std::uint64_t> used;
  for (const Record* field : fields) {
    const std::int64_t lsb = field->getValueAsInt("Lsb");
    used[lsb / 64] |= mask_of(width_of(*field)) << (lsb % 64);
  }
  out << "DecodeResult decode_fields(const InstructionWord& word) {\n  Line line;\n";
  const std::int64_t parts = records_of(keeper, "InstructionSet").front()->getValueAsInt("WordBits") / 64;
  for (std::int64_t part = 0; part < parts; ++part) {
    if (~used[part] != 0) {
      out << "  if ((word.parts[" << part << "] & 0x" << llvm::utohexstr(~used[part], true)
          << "u) != 0) return {std::nullopt, \"a reserved bit of part " << part << " is set\"};\n";
    }
  }
  for (const Record* field : fields) {
    const std::int64_t lsb = field->getValueAsInt("Lsb");
    const std::int64_t width = width_of(*field);
    out << "  {\n    const std::uint64_t bits = ";
    if (width == 64) {
      out << "word.parts[" << lsb / 64 << "];\n";
    } else {
      out << "(word.parts[" << lsb / 64 << "] >> " << lsb % 64 << ") & " << mask_of(width) << "u;\n";
    }
    out << "    " << Codec(*field).access().decode << "\n  }\n";
  }
  out << "  return {line, {}};\n}\n\n";
}

/// Only the compiler knows the members of Line; what it says of one stands at the record's line.
void emit_member_checks(raw_ostream& out, const RecordKeeper& keeper) {
  for (const Record* field : records_of(keeper, "Field")) {
    const llvm::SMLoc at = field->getLoc().front();
    const unsigned buffer = llvm::SrcMgr.FindBufferContainingLoc(at);
    const StringRef file = llvm::SrcMgr.getMemoryBuffer(buffer)->getBufferIdentifier();
    const StringRef member = field->getValueAsString("Member");
    out << "#line " << llvm::SrcMgr.FindLineNumber(at, buffer) << ' ' << quoted(file) << '\n'
        << "static_assert(" << Codec(*field).access().is_type << ", \"the field's type is not that of Line::" << member
        << "\");\n";
  }
}

}  // namespace

void emit_codec(raw_ostream& out, const RecordKeeper& keeper) {
  emit_encoder(out, keeper);
  emit_decoder(out, keeper);
  out << "// Every field's member is there, and of a type that takes the field's bits.\n"
      << "template <int bits, class M>\n"
      << "constexpr bool kNumberOf =\n"
      << "    std::is_unsigned_v<M> && !std::is_same_v<M, bool> && std::numeric_limits<M>::digits >= bits;\n\n";
  emit_member_checks(out, keeper);
}

}  // namespace gdr::generator
