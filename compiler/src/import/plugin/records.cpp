#include "records.h"

#include <llvm/BinaryFormat/Dwarf.h>

#include <optional>

namespace gdr::compiler {
namespace {

/// Code that no compiler wrote may have a type that is made of itself: this many of one another are no type.
constexpr unsigned kDeepest = 32;

/// The type behind names and qualifiers, and whether `const` was among them.
const llvm::DIType* bare(const llvm::DIType* type, bool& constant) {
  unsigned names = 0;
  while (const auto* derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(type)) {
    if (++names > kDeepest) return nullptr;
    const unsigned tag = derived->getTag();
    if (tag == llvm::dwarf::DW_TAG_const_type) {
      constant = true;
    } else if (tag != llvm::dwarf::DW_TAG_typedef && tag != llvm::dwarf::DW_TAG_volatile_type) {
      break;
    }
    type = derived->getBaseType();
  }
  return type;
}

const llvm::DIType* bare(const llvm::DIType* type) {
  bool ignored = false;
  return bare(type, ignored);
}

struct Word {
  Type type = Type::int_short;
  unsigned bytes = 4;
  bool is_signed = true;
  bool is_truth = false;
};

std::optional<Word> word_type(const llvm::DIBasicType& basic) {
  const std::uint64_t bits = basic.getSizeInBits();
  const auto bytes = static_cast<unsigned>(bits / 8);
  const Type integer = bits > 32 ? Type::int_long : Type::int_short;
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64) return std::nullopt;
  switch (basic.getEncoding()) {
    case llvm::dwarf::DW_ATE_float:
      if (bits < 32) return std::nullopt;
      return Word{bits == 64 ? Type::float_long : Type::float_short, bytes, true};
    case llvm::dwarf::DW_ATE_signed:
    case llvm::dwarf::DW_ATE_signed_char:
      return Word{integer, bytes, true};
    case llvm::dwarf::DW_ATE_unsigned:
    case llvm::dwarf::DW_ATE_unsigned_char:
    case llvm::dwarf::DW_ATE_UTF:
      return Word{integer, bytes, false};
    case llvm::dwarf::DW_ATE_boolean:
      // Its lowest bit counts.
      return Word{integer, bytes, false, true};
    default:
      return std::nullopt;
  }
}

/// The word of a type that is no structure: that of an enumeration is the one of its numbers.
std::optional<Word> word_type(const llvm::DIType* type) {
  if (const auto* basic = llvm::dyn_cast_or_null<llvm::DIBasicType>(type)) return word_type(*basic);
  const auto* composite = llvm::dyn_cast_or_null<llvm::DICompositeType>(type);
  if (composite == nullptr || composite->getTag() != llvm::dwarf::DW_TAG_enumeration_type) return std::nullopt;
  const auto* numbers = llvm::dyn_cast_or_null<llvm::DIBasicType>(bare(composite->getBaseType()));
  return numbers == nullptr ? std::nullopt : word_type(*numbers);
}

/// What a structure or an array consists of. LLVM's check lets lists pass that hold anything.
std::vector<const llvm::DINode*> elements_of(const llvm::DICompositeType& type) {
  std::vector<const llvm::DINode*> elements;
  const auto* list = llvm::dyn_cast_if_present<llvm::MDNode>(type.getRawElements());
  if (list == nullptr) return elements;
  for (const llvm::MDOperand& one : list->operands()) {
    if (const auto* node = llvm::dyn_cast_if_present<llvm::DINode>(one.get())) elements.push_back(node);
  }
  return elements;
}

bool is_of_library(const llvm::DICompositeType& type) {
  const llvm::DIScope* scope = type.getScope();
  while (const auto* space = llvm::dyn_cast_or_null<llvm::DINamespace>(scope)) {
    if (space->getScope() == nullptr && space->getName() == "std") return true;
    scope = space->getScope();
  }
  return false;
}

/// The member of std::array that holds the elements. Its name is the library's own, so nobody should meet it.
const llvm::DIDerivedType* elements_of_std_array(const llvm::DICompositeType& type) {
  if (!type.getName().starts_with("array<") || !is_of_library(type)) return nullptr;
  for (const llvm::DINode* element : elements_of(type)) {
    const auto* member = llvm::dyn_cast<llvm::DIDerivedType>(element);
    if (member != nullptr && member->getTag() == llvm::dwarf::DW_TAG_member && !member->isStaticMember()) return member;
  }
  return nullptr;
}

class Flattener {
 public:
  explicit Flattener(std::vector<Message>& errors) : errors_(errors) {}

  void structure(const llvm::DICompositeType& type, const std::string& prefix, unsigned begin) {
    if (too_deep_) return;
    if (inside_ == kDeepest) {
      too_deep_ = true;
      Message message;
      message.text = "structures are inside of one another more than 32 times";
      errors_.push_back(std::move(message));
      return;
    }
    ++inside_;
    for (const llvm::DINode* element : elements_of(type)) {
      const auto* member = llvm::dyn_cast<llvm::DIDerivedType>(element);
      if (member == nullptr || member->isStaticMember()) continue;
      const bool bit_field = member->isBitField();
      const llvm::Constant* storage = bit_field ? member->getStorageOffsetInBits() : nullptr;
      const auto* unit = llvm::dyn_cast_or_null<llvm::ConstantInt>(storage);
      const std::uint64_t place = unit != nullptr ? unit->getZExtValue() : member->getOffsetInBits();
      const auto offset = begin + static_cast<unsigned>(place / 8);
      if (member->getTag() == llvm::dwarf::DW_TAG_inheritance) {
        if (const auto* base = llvm::dyn_cast_or_null<llvm::DICompositeType>(bare(member->getBaseType()))) {
          structure(*base, prefix, offset);
        }
      } else if (member->getTag() == llvm::dwarf::DW_TAG_member) {
        if (member->getName().empty() && bit_field) continue;
        word_or_array(*member, prefix + member->getName().str(), offset);
        if (!bit_field || fields.empty()) continue;
        fields.back().bit = static_cast<unsigned>(member->getOffsetInBits() - place);
        fields.back().bits = static_cast<unsigned>(member->getSizeInBits());
      }
    }
    --inside_;
  }

  std::vector<Field> fields;

 private:
  static Place place_of(const llvm::DIDerivedType& member) {
    return {member.getFile() == nullptr ? "" : member.getFile()->getFilename().str(), member.getLine(), 1};
  }

  void word_or_array(const llvm::DIDerivedType& member, const std::string& name, unsigned offset) {
    const llvm::DIType* type = bare(member.getBaseType());
    unsigned count = 1;
    bool array = false;
    unsigned arrays = 0;
    while (const auto* composite = llvm::dyn_cast_or_null<llvm::DICompositeType>(type)) {
      if (const llvm::DIDerivedType* elements = elements_of_std_array(*composite)) {
        if (++arrays > kDeepest) count = 0;
        if (count == 0) break;
        type = bare(elements->getBaseType());
        continue;
      }
      if (composite->getTag() != llvm::dwarf::DW_TAG_array_type) break;
      if (++arrays > kDeepest) count = 0;
      if (count == 0) break;
      for (const llvm::DINode* range : elements_of(*composite)) {
        const auto* subrange = llvm::dyn_cast<llvm::DISubrange>(range);
        const auto* length =
            subrange == nullptr ? nullptr : llvm::dyn_cast_if_present<llvm::ConstantInt*>(subrange->getCount());
        count *= length == nullptr ? 0 : static_cast<unsigned>(length->getSExtValue());
      }
      array = true;
      type = bare(composite->getBaseType());
    }
    const auto* inner = llvm::dyn_cast_or_null<llvm::DICompositeType>(type);
    const std::optional<Word> word = word_type(type);
    if (inner != nullptr && !word && inner->getTag() != llvm::dwarf::DW_TAG_union_type && !array) {
      const std::size_t errors = errors_.size();
      structure(*inner, name + "_", offset);
      if (errors_.size() == errors || !is_of_library(*inner)) return;
      errors_.resize(errors);  // of members of the library
      const std::string type_name = "std::" + inner->getName().str();
      const bool complex = inner->getName().starts_with("complex<");
      errors_.push_back({place_of(member), "member '" + name + "' is a " + type_name + ": " +
                                               (complex ? "take two members, the real and the imaginary part"
                                                        : "of the library's types, records hold std::array")});
      return;
    }
    if (!word || count == 0 || count > 512) {
      const Place place = place_of(member);
      errors_.push_back(
          {place, "member '" + name +
                      "' is no word: records hold float, double, integers of 8, 16, 32 and 64 bits, bool, bit-fields, "
                      "enumerations, and arrays of up to 512 of them"});
      return;
    }
    Field field{name, word->type, offset, count, array};
    field.bytes = word->bytes;
    field.is_signed = word->is_signed;
    field.is_truth = word->is_truth;
    field.place = place_of(member);
    fields.push_back(std::move(field));
  }

  std::vector<Message>& errors_;
  unsigned inside_ = 0;    // structures around
  bool too_deep_ = false;  // which is told once
};

bool is_truth(const llvm::DIType* type) {
  const auto* basic = llvm::dyn_cast_or_null<llvm::DIBasicType>(bare(type));
  return basic != nullptr && basic->getEncoding() == llvm::dwarf::DW_ATE_boolean;
}

std::vector<Argument> arguments_if(const llvm::DISubprogram& function, bool truth) {
  std::vector<Argument> arguments;
  if (function.getType() == nullptr) return arguments;
  const llvm::DITypeRefArray types = function.getType()->getTypeArray();
  // The first one is what it returns.
  if (types.size() == 0 || (truth ? !is_truth(types[0]) : types[0] != nullptr)) return arguments;
  const llvm::DICompileUnit* unit = function.getUnit();
  const bool c =
      unit != nullptr && llvm::dwarf::isC(static_cast<llvm::dwarf::SourceLanguage>(unit->getSourceLanguage()));
  for (unsigned n = 1; n < types.size(); ++n) {
    Argument argument;
    const auto* reference = llvm::dyn_cast_or_null<llvm::DIDerivedType>(bare(types[n]));
    // C has no references.
    const bool refers = reference != nullptr && (reference->getTag() == llvm::dwarf::DW_TAG_reference_type ||
                                                 (c && reference->getTag() == llvm::dwarf::DW_TAG_pointer_type));
    if (refers) {
      const auto* structure =
          llvm::dyn_cast_or_null<llvm::DICompositeType>(bare(reference->getBaseType(), argument.constant));
      const bool record = structure != nullptr && (structure->getTag() == llvm::dwarf::DW_TAG_structure_type ||
                                                   structure->getTag() == llvm::dwarf::DW_TAG_class_type);
      if (record) argument.structure = structure;
    }
    arguments.push_back(argument);
  }
  return arguments;
}

}  // namespace

std::vector<Argument> arguments_of(const llvm::DISubprogram& function) { return arguments_if(function, false); }

std::vector<Argument> arguments_of_condition(const llvm::DISubprogram& function) {
  return arguments_if(function, true);
}

bool is_pair_function(const llvm::DISubprogram& described) {
  const std::vector<Argument> arguments = arguments_of(described);
  if (arguments.size() != 3 && arguments.size() != 4) return false;
  for (std::size_t n = 0; n < arguments.size(); ++n) {
    if (arguments[n].structure == nullptr || arguments[n].constant != (n != 2)) return false;
  }
  return true;
}

std::vector<Field> fields_of(const llvm::DICompositeType& structure, std::vector<Message>& errors) {
  Flattener flattener(errors);
  flattener.structure(structure, "", 0);
  return std::move(flattener.fields);
}

unsigned bytes_of(Type type) { return is_long(type) ? 8 : 4; }

}  // namespace gdr::compiler
