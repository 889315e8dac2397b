#include "kernel_words.h"

#include <algorithm>
#include <utility>

namespace gdr::hostlib {

using isa::Access;
using isa::Section;
using isa::Storage;

namespace {

bool is_conditional(const Access& write, bool masked) {
  return masked || write.indirect || write.one_pe || write.predicate.flag != 0 || write.predicate.jvalid;
}

PeWordSet joined(PeWordSet a, const PeWordSet& b) {
  a.t |= b.t;
  for (std::size_t flag = 0; flag < a.flags.size(); ++flag) a.flags[flag] |= b.flags[flag];
  a.gpr |= b.gpr;
  a.lm |= b.lm;
  return a;
}

}  // namespace

bool PeWordSet::has_registers() const {
  return t.any() || std::ranges::any_of(flags, [](const auto& flag) { return flag.any(); });
}

bool PeWordSet::meets(const Access& access, unsigned element) const {
  const isa::WordRange range = isa::words_of(access, element);
  switch (access.storage) {
    case Storage::t:
      return t[element];
    case Storage::flag:
      return flags[access.address][element];
    case Storage::gpr:
      for (std::size_t n = range.first; n < std::min<std::size_t>(range.last, gpr.size()); ++n) {
        if (gpr[n]) return true;
      }
      return false;
    case Storage::lm:
      for (std::size_t n = range.first; n < std::min<std::size_t>(range.last, lm.size()); ++n) {
        if (lm[n]) return true;
      }
      return false;
    case Storage::bm:
    case Storage::record:
      break;
  }
  return false;
}

void PeWordSet::add(const Access& access, unsigned element) {
  const isa::WordRange range = isa::words_of(access, element);
  switch (access.storage) {
    case Storage::t:
      t.set(element);
      return;
    case Storage::flag:
      flags[access.address].set(element);
      return;
    case Storage::gpr:
      for (std::size_t n = range.first; n < std::min<std::size_t>(range.last, gpr.size()); ++n) gpr.set(n);
      return;
    case Storage::lm:
      for (std::size_t n = range.first; n < std::min<std::size_t>(range.last, lm.size()); ++n) lm.set(n);
      return;
    case Storage::bm:
    case Storage::record:
      return;
  }
}

KernelWords::KernelWords(const isa::Program& program) {
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    for (const isa::ProgramLine& coded : program.lines(static_cast<Section>(section))) {
      const isa::Line decoded = isa::decoded(coded.word);
      const isa::Effects effects = isa::effects(decoded);
      Line line;
      line.elements = effects.elements();
      line.accesses.assign(effects.reads().begin(), effects.reads().end());
      line.accesses.insert(line.accesses.end(), effects.writes().begin(), effects.writes().end());
      line.work = isa::line_work(decoded);
      masked_[section].push_back(effects.masked());
      stores_ = stores_ || effects.writes_bm();
      for (const isa::UnitWork& unit : line.work.units()) {
        const bool asks = unit.a.kind == isa::UnitOperand::Kind::pe_id || unit.b.kind == isa::UnitOperand::Kind::pe_id;
        if (asks || unit.one_pe) pes_alike_ = false;
      }
      lines_[section].push_back(std::move(line));
    }
  }
  pes_alike_ = pes_alike_ && !stores_;
  for (const isa::Variable* result : program.variables_by(isa::Transfer::rrn)) {
    if (result->memory == isa::Memory::bm) continue;
    const unsigned length =
        result->elements * isa::short_words(result->width) * (result->vector ? isa::kVectorElements : 1);
    for (std::size_t n = result->address; n < result->address + length; ++n) {
      if (result->memory == isa::Memory::gpr && n < results_.gpr.size()) results_.gpr.set(n);
      if (result->memory == isa::Memory::lm && n < results_.lm.size()) results_.lm.set(n);
    }
  }
  const PeWordSet begun = written_in(Section::loop_initialization);
  const PeWordSet at_begin = read_in(Section::loop_initialization, {});
  live_in_loop_ = at_begin;
  live_in_run_ = at_begin;
  for (const Section section : {Section::loop_body, Section::loop_termination}) {
    live_in_loop_ = joined(live_in_loop_, read_in(section, {}));
    live_in_run_ = joined(live_in_run_, read_in(section, begun));
  }
  find_runs_apart(program);
  find_quiet_edge();
}

/// Words that the section may read before it has written them. A word that a line writes can be read by the line after
/// the next one, a word in T by the next one.
PeWordSet KernelWords::read_in(Section section, PeWordSet written) const {
  const auto number = static_cast<std::size_t>(section);
  PeWordSet read;
  PeWordSet landing;
  for (std::size_t n = 0; n < lines_[number].size(); ++n) {
    const Line& line = lines_[number][n];
    for (const Access& access : line.accesses) {
      if (access.write || access.defines) continue;
      for (unsigned element = 0; element < line.elements; ++element) {
        PeWordSet words;
        words.add(access, element);
        words.t &= ~written.t;
        for (std::size_t flag = 0; flag < words.flags.size(); ++flag) words.flags[flag] &= ~written.flags[flag];
        words.gpr &= ~written.gpr;
        words.lm &= ~written.lm;
        read = joined(read, words);
      }
    }
    written = joined(written, landing);
    landing = {};
    for (const Access& access : line.accesses) {
      if (!access.write || is_conditional(access, masked_[number][n])) continue;
      for (unsigned element = 0; element < line.elements; ++element) {
        (access.storage == Storage::t ? written : landing).add(access, element);
      }
    }
  }
  return read;
}

/// Words that the section writes in any case.
PeWordSet KernelWords::written_in(Section section) const {
  const auto number = static_cast<std::size_t>(section);
  PeWordSet written;
  for (std::size_t n = 0; n < lines_[number].size(); ++n) {
    for (const Access& access : lines_[number][n].accesses) {
      if (!access.write || is_conditional(access, masked_[number][n])) continue;
      for (unsigned element = 0; element < lines_[number][n].elements; ++element) written.add(access, element);
    }
  }
  return written;
}

void KernelWords::find_runs_apart(const isa::Program& program) {
  PeWordSet left = live_in_run_;  // by an earlier run; every run gets i-data of its own
  for (const isa::Variable* data : program.variables_by(isa::Transfer::hlt)) {
    const unsigned length = data->elements * isa::short_words(data->width) * (data->vector ? isa::kVectorElements : 1);
    for (std::size_t n = data->address; n < data->address + length; ++n) {
      if (data->memory == isa::Memory::gpr && n < left.gpr.size()) left.gpr.reset(n);
      if (data->memory == isa::Memory::lm && n < left.lm.size()) left.lm.reset(n);
    }
  }
  runs_apart_ = !stores_;
  for (const Section section : {Section::loop_initialization, Section::loop_body, Section::loop_termination}) {
    for (const Line& line : lines_[static_cast<std::size_t>(section)]) {
      for (const Access& access : line.accesses) {
        for (unsigned element = 0; access.write && element < line.elements; ++element) {
          if (left.meets(access, element)) runs_apart_ = false;
        }
      }
    }
  }
}

void KernelWords::find_quiet_edge() {
  const std::vector<Line>& body = lines_[static_cast<std::size_t>(Section::loop_body)];
  if (body.empty()) return;
  for (const Section section : {Section::loop_body, Section::loop_termination}) {
    const std::vector<Line>& lines = lines_[static_cast<std::size_t>(section)];
    if (lines.empty()) continue;
    for (const Access& read : lines.front().accesses) {
      for (const Access& write : body.back().accesses) {
        if (read.write || !write.write || write.storage == Storage::t) continue;
        if (isa::overlap(read, lines.front().elements, write, body.back().elements)) quiet_edge_ = false;
      }
    }
  }
}

}  // namespace gdr::hostlib
