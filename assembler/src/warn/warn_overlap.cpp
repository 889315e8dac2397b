// Registers with names that share words while both are in use: a value is read by the name it was written by, but
// another name was written over part of it since. Names that take the same words one after the other are no mistake,
// and neither is a name for one element of a vector.
#include <fmt/format.h>

#include <algorithm>

#include "warn.h"

namespace gdr::assembler {
namespace {

using isa::Section;

/// The write that destroyed what a name had left in a word.
struct Clobber {
  const Symbol* name = nullptr;
  const CodeAccess* by = nullptr;
};

struct SharedWord {
  std::vector<const Symbol*> owners;  // names that may have written it last
  std::vector<Clobber> clobbers;
};
using SharedState = std::vector<SharedWord>;

/// A word of the other's vector.
bool is_element_of(const CodeAccess& scalar, const Symbol& vector) {
  const Operand& whole = *vector.written;
  return scalar.step == 0 && whole.vector && scalar.width == whole.width;
}

class SharedRegisters {
 public:
  SharedRegisters(const Flow& flow, Reporter& reporter) : flow_(flow), reporter_(reporter) {}

  void run() {
    SharedState state(kAllWords);
    walk(Section::initialization, state);
    walk(Section::loop_initialization, state);
    SharedState entering = state;
    SharedState turn = entering;
    walk(Section::loop_body, turn);
    join(entering, turn);
    walk(Section::loop_body, entering);  // what a turn leaves does not depend on more turns before it
    join(state, entering);
    walk(Section::loop_termination, state);
  }

 private:
  static void join(SharedState& state, const SharedState& other) {
    for (unsigned at = 0; at < kAllWords; ++at) {
      SharedWord& word = state[at];
      for (const Symbol* owner : other[at].owners) add_owner(word, owner);
      for (const Clobber& clobber : other[at].clobbers) add_clobber(word, clobber);
    }
  }

  static void add_owner(SharedWord& word, const Symbol* name) {
    if (std::find(word.owners.begin(), word.owners.end(), name) == word.owners.end()) word.owners.push_back(name);
  }
  static void add_clobber(SharedWord& word, const Clobber& clobber) {
    const auto same = [&](const Clobber& other) { return other.name == clobber.name; };
    if (std::none_of(word.clobbers.begin(), word.clobbers.end(), same)) word.clobbers.push_back(clobber);
  }

  void walk(Section section, SharedState& state) {
    for (const FlowLine& at : flow_.lines()) {
      if (at.section != section) continue;
      const unsigned elements = at.line->line.vlen;
      for (const CodeAccess& access : at.line->accesses) {
        if (!access.write && access.register_name != nullptr) read(access, elements, state);
      }
      for (const CodeAccess& access : at.line->accesses) {
        if (access.write && access.register_name != nullptr && !access.indirect) write(access, elements, state);
      }
    }
  }

  void read(const CodeAccess& access, unsigned elements, const SharedState& state) {
    if (access.storage == isa::Storage::t || access.indirect) return;
    const Clobber* found = nullptr;
    for_words(access, elements, [&](unsigned at, unsigned) {
      for (const Clobber& clobber : state[at].clobbers) {
        if (clobber.name == access.register_name && found == nullptr) found = &clobber;
      }
    });
    if (found == nullptr) return;
    if (reporter_.warning(Code::shared_register, access.where,
                          fmt::format("'{}' was written over by '{}', which shares words with it, before it is read "
                                      "here; give one of them another register",
                                      access.text, found->by->text))) {
      reporter_.note(found->by->where, fmt::format("'{}' is written here", found->by->text));
      reporter_.note(found->by->register_name->where,
                     fmt::format("'{}' is declared here", found->by->register_name->title()));
    }
  }

  static void write(const CodeAccess& access, unsigned elements, SharedState& state) {
    if (access.storage == isa::Storage::t) return;
    const Symbol* name = access.register_name;
    for_words(access, elements, [&](unsigned at, unsigned) {
      SharedWord& word = state[at];
      std::erase_if(word.clobbers, [&](const Clobber& clobber) { return clobber.name == name; });
      std::vector<const Symbol*> owners;
      for (const Symbol* owner : word.owners) {
        if (owner == name) continue;
        if (is_element_of(access, *owner)) {
          owners.push_back(owner);
        } else {
          add_clobber(word, {owner, &access});
        }
      }
      owners.push_back(name);
      word.owners = std::move(owners);
    });
  }

  const Flow& flow_;
  Reporter& reporter_;
};

}  // namespace

void warn_of_shared_registers(const Flow& flow, Reporter& reporter) { SharedRegisters(flow, reporter).run(); }

}  // namespace gdr::assembler
