// The machine on a device: a work-group is a block, a work-item a PE, or an element of a PE. It goes through lines as
// data, whatever the program, so one compilation serves all of them. What a line does and when its writes land is as in
// reference_block.cpp.
//
// State of a block: rows of 32 short words, right-aligned, of GPR, LM and T; a word of flags of each PE, four bits an
// element; BM. Words of BM are written by the first PE alone, in the machine's order.

ulong row_word(__global const ulong* state, uint row, uint pe) { return state[row * PES + pe]; }

Word register_word(__global const ulong* state, uint row, uint is_long, uint pe) {
  const ulong upper = row_word(state, row, pe);
  return is_long ? joined(upper, row_word(state, row + 1, pe)) : widened(upper);
}

void put_register(__global ulong* state, uint row, uint is_long, uint pe, Word value) {
  state[row * PES + pe] = upper_of(value);
  if (is_long) state[(row + 1) * PES + pe] = lower_of(value);
}

Word bm_word(__global const ulong* bm, uint address, uint is_long) {
  return is_long ? joined(bm[address], bm[address + 1]) : widened(bm[address]);
}

/// A write that lands when the next line has read.
typedef struct {
  uint is_set, is_long, row;
  Word value;
} Pending;

typedef struct {
  Pending words[2 * ELEMENTS];  // of each element one of GPR and one of LM
  uint flags_set, flags_cleared;
} PendingLine;

/// Lands the words of these elements. `flags`: those of the PE, as the work-item knows them.
void land(__global ulong* state, uint* flags, PendingLine* pending, uint pe, uint elements) {
  for (uint n = 0; n < 2 * elements; ++n) {
    if (pending->words[n].is_set)
      put_register(state, pending->words[n].row, pending->words[n].is_long, pe, pending->words[n].value);
    pending->words[n].is_set = 0;
  }
  *flags = (*flags | pending->flags_set) & ~pending->flags_cleared;
  pending->flags_set = pending->flags_cleared = 0;
}

/// The same for all work-items of a group: if elements are apart and write to the same words, the last one must win.
void land_elements(__global ulong* state, uint* flags, PendingLine* pending, uint pe, const uint apart, uint element,
                   uint in_order) {
  if (!apart || !in_order) {
    land(state, flags, pending, pe, apart ? 1 : ELEMENTS);
    return;
  }
  for (uint e = 0; e < ELEMENTS; ++e) {
    if (e == element) land(state, flags, pending, pe, 1);
    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
  }
}

/// What stays the same during a line.
typedef struct {
  __global ulong* state;
  __global const ulong* bm;
  __global struct PeEvents* events;
  __global struct PeFault* fault;
  ulong run, iteration;
  uint section, flags, record_base, jvalid, pe, block;
} At;

ulong2 key_of(const At* at, __local const struct LineCode* line, uint element, uint unit, uint event) {
  return (ulong2)(((ulong)at->section << 61) | (at->section == LOOP_BODY ? at->iteration : 0),
                  ((ulong)line->number << 16) | (element << 8) | (unit << 4) | event);
}

/// Counts an event, and keeps it if it is one of the first.
void note(const At* at, ulong2 key, uint event) {
  __global struct PeEvents* events = at->events;
  ++events->counts[event - 1];
  ulong run = at->run;
  for (uint n = 0; n < KEPT; ++n) {
    if (n >= events->kept) {
      events->kept = n + 1;
      events->keys[n][0] = run;
      events->keys[n][1] = key.x;
      events->keys[n][2] = key.y;
      return;
    }
    const ulong run_n = events->keys[n][0];
    const ulong x_n = events->keys[n][1];
    const ulong y_n = events->keys[n][2];
    const int before = run < run_n || (run == run_n && (key.x < x_n || (key.x == x_n && key.y < y_n)));
    if (!before) continue;
    events->keys[n][0] = run;
    events->keys[n][1] = key.x;
    events->keys[n][2] = key.y;
    run = run_n;
    key = (ulong2)(x_n, y_n);
  }
}

/// Row in LM of an access through T; sets the fault if there is none.
uint indirect_row(const At* at, __local const struct LineCode* line, uint element, uint row, uint is_long, Word t) {
  const uint address = row - LM_ROW;
  const ulong offset = is_long ? (t.h << 8) | t.l : upper_of(t);
  const int far = (is_long && (t.h >> 56) != 0) || offset >= LM_WORDS;
  if (!far && address + offset + (is_long ? 2 : 1) <= LM_WORDS && (!is_long || (address + offset) % 2 == 0))
    return row + (uint)offset;
  if (!at->fault->found) {
    const ulong2 key = key_of(at, line, element, 0, 0);
    at->fault->found = 1;
    at->fault->key[0] = at->run;
    at->fault->key[1] = key.x;
    at->fault->key[2] = key.y;
    at->fault->address = address;
    at->fault->t_high = t.h;
    at->fault->t_low = t.l;
  }
  return LM_ROW;
}

#define PLACE_ENUMERATOR(name) PLACE_##name,
enum { GDR_PLACES(PLACE_ENUMERATOR) };

/// What a word's place is found from; `row` is that of the element.
typedef struct {
  const At* at;
  __local const struct LineCode* line;
  __local const struct OperandCode* code;
  uint element, first;
  Word t;
} Wanted;

Word word_in_nothing(const Wanted* wanted) { return word(0, 0); }
Word word_in_registers(const Wanted* wanted) {
  const uint is_long = wanted->code->is_long;
  uint row = wanted->first;
  if (wanted->code->indirect) row = indirect_row(wanted->at, wanted->line, wanted->element, row, is_long, wanted->t);
  return register_word(wanted->at->state, row, is_long, wanted->at->pe);
}
Word word_in_t(const Wanted* wanted) { return wanted->code->is_long ? wanted->t : widened(upper_of(wanted->t)); }
Word word_in_bm(const Wanted* wanted) { return bm_word(wanted->at->bm, wanted->first, wanted->code->is_long); }
Word word_in_record(const Wanted* wanted) {
  return bm_word(wanted->at->bm, wanted->first + wanted->at->record_base, wanted->code->is_long);
}
Word word_in_constant(const Wanted* wanted) { return word(wanted->code->constant_high, wanted->code->constant_low); }
Word identifier(uint id, uint is_long) { return is_long ? word(0, id) : widened(id); }
Word word_in_pe_id(const Wanted* wanted) { return identifier(wanted->at->pe, wanted->code->is_long); }
Word word_in_block_id(const Wanted* wanted) { return identifier(wanted->at->block, wanted->code->is_long); }

#define CASE_OF_PLACE(name) \
  case PLACE_##name:        \
    value = word_in_##name(&wanted); \
    break;

Word operand(const At* at, __local const struct LineCode* line, __local const struct OperandCode* code, uint element,
             Word t) {
  Wanted wanted;
  wanted.at = at;
  wanted.line = line;
  wanted.code = code;
  wanted.element = element;
  wanted.first = code->first + element * code->step;
  wanted.t = t;
  Word value = word(0, 0);
  switch (code->place) { GDR_PLACES(CASE_OF_PLACE) }
  value.h ^= (ulong)code->negated << 63;
  return value;
}

int holds(const At* at, uint flag, uint inverted, uint jvalid, uint element) {
  if (jvalid && !at->jvalid) return 0;
  return flag == 0 || ((at->flags >> (4 * element + flag - 1)) & 1) != inverted;
}
void put_pending(Pending* pending, uint row, uint is_long, Word value) {
  pending->is_set = 1;
  pending->row = row;
  pending->is_long = is_long;
  pending->value = value;
}

/// A result on its way to its destinations; true if any takes it. `place`: of the element in `next`.
int retired(const At* at, __local const struct LineCode* line, __local const struct UnitCode* unit, Word value,
            uint element, uint place, Word t, PendingLine* next, __local Pending* store) {
  int written = 0;
  for (uint n = 0; n < unit->destination_count; ++n) {
    __local const struct DestinationCode* to = &unit->destinations[n];
    if (!holds(at, to->flag, to->inverted, to->jvalid, element)) continue;
    written = 1;
    uint first = to->first + element * to->step;
    if (to->place == PLACE_t) {
      put_register(at->state, first, 1, at->pe, value);
    } else if (to->place == PLACE_registers) {
      const uint in_lm = first >= LM_ROW;
      if (to->indirect) first = indirect_row(at, line, element, first, to->is_long, t);
      put_pending(&next->words[2 * place + in_lm], first, to->is_long, value);
    } else {
      if (to->place == PLACE_record) first += at->record_base;
      store->is_set = 1;
      store->row = first;
      store->is_long = to->is_long;
      store->value = value;
    }
  }
  return written;
}

/// An element of a line; what it stores to BM goes to `store`. If elements are apart, `next` is of this one alone, and
/// the units' events are left in `seen`.
void run_element(const At* at, __local const struct LineCode* line, uint element, const uint apart, PendingLine* next,
                 __local Pending* store, uint* seen, __local uint* noted) {
  if (line->mask != 0 && ((at->flags >> (4 * element + line->mask - 1)) & 1) == line->mask_inverted) return;
  const Word t = register_word(at->state, T_ROW + 2 * element, 1, at->pe);
  // All operands are fetched before a result goes anywhere.
  Result results[4];
  for (uint n = 0; n < line->unit_count; ++n) {
    __local const struct UnitCode* unit = &line->units[n];
    if (unit->one_pe && unit->pe != at->pe) continue;
    const Word a = operand(at, line, &unit->a, element, t);
    if (unit->op == 0) {
      results[n].value = a;
      results[n].event = 0;
    } else {
      results[n] = computed(unit->op, a, operand(at, line, &unit->b, element, t), unit->is_long);
    }
  }
  if (!apart && at->fault->found) return;
  for (uint n = 0; n < line->unit_count; ++n) {
    __local const struct UnitCode* unit = &line->units[n];
    if (unit->one_pe && unit->pe != at->pe) continue;
    int written = retired(at, line, unit, results[n].value, element, apart ? 0 : element, t, next, store);
    if (unit->flag != 0 && holds(at, unit->predicate, unit->inverted, unit->jvalid, element)) {
      const uint bit = 1u << (4 * element + unit->flag - 1);
      const uint is_set = unit->condition == CONDITION_negative ? results[n].negative
                          : unit->condition == CONDITION_zero   ? results[n].zero
                                                                : results[n].carry;
      next->flags_set = is_set ? next->flags_set | bit : next->flags_set & ~bit;
      next->flags_cleared = is_set ? next->flags_cleared & ~bit : next->flags_cleared | bit;
      written = 1;
    }
    if (!written || results[n].event == 0) continue;
    if (apart) {
      seen[n] = results[n].event;
      *noted = 1;
    } else {
      note(at, key_of(at, line, element, unit->unit, results[n].event), results[n].event);
    }
  }
}

void land_stores(__global ulong* bm, __local Pending* stores) {
  for (uint n = 0; n < ELEMENTS; ++n) {
    if (!stores[n].is_set) continue;
    stores[n].is_set = 0;
    bm[stores[n].row] = upper_of(stores[n].value);
    if (stores[n].is_long) bm[stores[n].row + 1] = lower_of(stores[n].value);
  }
}

#define LINE_WORDS ((uint)(sizeof(struct LineCode) / sizeof(uint)))

/// What a task does: the steps of a section, those of its turns, and those of loop termination.
typedef struct {
  uint opening, in_opening, in_body, in_closing;
  ulong in_turns, count;
} Steps;

Steps steps_of(__global const struct TaskCode* task, __global const struct SectionsCode* sections) {
  Steps all;
  all.opening = task->opens != 0 ? task->opens - 1 : LOOP_TERMINATION;
  all.in_opening = task->opens != 0 ? sections->end[all.opening] - sections->begin[all.opening] : 0;
  all.in_body = sections->end[LOOP_BODY] - sections->begin[LOOP_BODY];
  all.in_closing = task->ends ? sections->end[LOOP_TERMINATION] - sections->begin[LOOP_TERMINATION] : 0;
  all.in_turns = all.in_body * (task->end_turn - task->first_turn);
  all.count = all.in_opening + all.in_turns + all.in_closing;
  return all;
}

/// Where step n is.
typedef struct {
  uint in_loop, section, number;
  ulong turn;
} StepPlace;

StepPlace step_place(const Steps* all, ulong n, ulong first_turn) {
  StepPlace place;
  place.in_loop = n >= all->in_opening && n < all->in_opening + all->in_turns;
  place.turn = 0;
  if (place.in_loop) {
    const ulong behind = n - all->in_opening;
    place.section = LOOP_BODY;
    place.turn = first_turn + behind / all->in_body;
    place.number = (uint)(behind % all->in_body);
  } else {
    place.section = n < all->in_opening ? all->opening : LOOP_TERMINATION;
    place.number = (uint)(n < all->in_opening ? n : n - all->in_opening - all->in_turns);
  }
  return place;
}

struct StepCode step_code(const Steps* all, ulong n, ulong first_turn, __global const struct SectionsCode* sections,
                          __global const struct StepCode* steps) {
  const StepPlace place = step_place(all, n < all->count ? n : all->count - 1, first_turn);
  return steps[sections->begin[place.section] + place.number];
}

/// Runs a task. A work-item has all elements of a PE or, if `apart`, one of them; then no line may address LM through
/// T, because a fault in an element keeps the next ones from running. A device's memory takes long to answer, so steps
/// are read two ahead, and lines one ahead. lines_here: two lines; stores: [2][ELEMENTS].
void run_task(const uint apart, __global const struct TaskCode* task, __global const struct SectionsCode* sections,
              __global const struct StepCode* steps, __global const struct LineCode* lines, __global ulong* all_states,
              __global uint* all_flags, __global const ulong* memory, __global ulong* collected,
              __global struct PeEvents* events, __global struct PeFault* faults, __local struct LineCode* lines_here,
              __local Pending* stores, __local uint* noted) {
  const uint item = get_local_id(0);
  const uint items = apart ? PES * ELEMENTS : PES;
  const uint pe = item % PES;
  const uint elements = apart ? 1 : ELEMENTS;  // of the work-item
  const uint first_element = apart ? item / PES : 0;
  __global ulong* state = all_states + (ulong)task->place * BLOCK_WORDS;
  __global ulong* bm = state + BM_PLACE;
  const uint at_pe = task->place * PES + pe;
  const uint record_words = sections->record_words;
  const Steps all = steps_of(task, sections);
  const ulong first_turn = task->first_turn;
  if (all.count == 0) return;
  PendingLine pending, next;
  for (uint n = 0; n < 2 * elements; ++n) pending.words[n].is_set = next.words[n].is_set = 0;
  pending.flags_set = pending.flags_cleared = next.flags_set = next.flags_cleared = 0;
  if (item == 0) {
    for (uint n = 0; n < 2 * ELEMENTS; ++n) stores[n].is_set = 0;
    *noted = 0;
  }
  const uint flags_before = all_flags[at_pe];
  uint flags = flags_before;
  uint line_number = 0;
  uint in_order = 0;  // of the words that land next
  ulong collected_words = 0;
  uint record_base = 0;
  struct StepCode step = step_code(&all, 0, first_turn, sections, steps);
  struct StepCode following = step_code(&all, 1, first_turn, sections, steps);
  if (step.kind == STEP_LINE) {
    __global const uint* from = (__global const uint*)(lines + step.place);
    for (uint w = item; w < LINE_WORDS; w += items) ((__local uint*)lines_here)[w] = from[w];
  }
  for (ulong n = 0; n < all.count; ++n) {
    const StepPlace place = step_place(&all, n, first_turn);
    const ulong record = place.turn * BLOCKS + task->block;
    const uint has_record = record < task->records;
    if (place.in_loop) record_base = place.turn % 2 == 0 ? 0 : 2 * record_words;
    if (place.in_loop && place.number == 0 && item == 0) {
      __global const ulong* from = memory + 2 * (task->record + record * record_words);
      for (uint w = 0; w < record_words; ++w) {
        const Word value = has_record ? word(from[2 * w], from[2 * w + 1] & 255) : word(0, 0);
        bm[record_base + 2 * w] = upper_of(value);
        bm[record_base + 2 * w + 1] = lower_of(value);
      }
    }
    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    uint ahead[(LINE_WORDS + PES - 1) / PES];
    __global const uint* ahead_from = (__global const uint*)(lines + (following.kind == STEP_LINE ? following.place : 0));
    for (uint w = item, k = 0; w < LINE_WORDS; w += items) ahead[k++] = ahead_from[w];
    const struct StepCode second = step_code(&all, n + 2, first_turn, sections, steps);
    __local const struct LineCode* line = lines_here + (n & 1);
    At at;
    uint seen[4] = {0, 0, 0, 0};
    if (step.kind == STEP_LINE && pe < task->live_pes && (apart || !faults[at_pe].found)) {
      at.state = state;
      at.bm = bm;
      at.events = events + at_pe;
      at.fault = faults + at_pe;
      at.run = task->run;
      at.iteration = task->first_iteration + place.turn;
      at.section = place.section;
      at.flags = flags;
      at.record_base = record_base;
      at.jvalid = !place.in_loop || has_record;
      at.pe = pe;
      at.block = task->block;
      for (uint e = first_element; e < first_element + elements && e < line->elements; ++e)
        run_element(&at, line, e, apart, &next, &stores[(line_number & 1) * ELEMENTS + e], seen, noted);
    }
    const int leaves = step.kind == STEP_COLLECT && !(step.not_first && place.in_loop && task->begins && place.turn == 0);
    if (leaves) {
      __global ulong* to = collected + 2 * (task->collected + collected_words);
      for (uint w = item; w < step.words; w += items) {
        const Word value = bm_word(bm, step.place + 2 * w, 1);
        to[2 * w] = value.h;
        to[2 * w + 1] = value.l;
      }
      collected_words += step.words;
    }
    __local uint* ahead_to = (__local uint*)(lines_here + ((n + 1) & 1));
    for (uint w = item, k = 0; w < LINE_WORDS; w += items) ahead_to[w] = ahead[k++];
    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    if (apart && *noted) {  // a PE's events are kept by one element after the other
      for (uint e = 0; e < ELEMENTS; ++e) {
        for (uint u = 0; e == first_element && u < 4; ++u) {
          if (seen[u] != 0) note(&at, key_of(&at, line, e, line->units[u].unit, seen[u]), seen[u]);
        }
        barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
      }
      if (item == 0) *noted = 0;
    }
    if (step.kind == STEP_LINE) {
      land_elements(state, &flags, &pending, pe, apart, first_element, in_order);
      in_order = line->in_order;
      pending = next;
      for (uint w = 0; w < 2 * elements; ++w) next.words[w].is_set = 0;
      next.flags_set = next.flags_cleared = 0;
      ++line_number;
      if (item == 0) land_stores(bm, stores + (line_number & 1) * ELEMENTS);
    }
    step = following;
    following = second;
  }
  barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
  land_elements(state, &flags, &pending, pe, apart, first_element, in_order);
  if (!apart) {
    all_flags[at_pe] = flags;
  } else if (flags != flags_before) {  // each element has bits of its own
    atomic_or(&all_flags[at_pe], flags & ~flags_before);
    atomic_and(&all_flags[at_pe], ~(flags_before & ~flags));
  }
  if (item == 0) {
    land_stores(bm, stores + (line_number & 1) * ELEMENTS);
    land_stores(bm, stores + ((line_number + 1) & 1) * ELEMENTS);
  }
}

/// turns_done: if `waits`, [task][2] of as many tasks: the turn that earlier turns of its block reached, and 1 if these
/// left all words. A task that begins with another turn does nothing: the host takes care of it.
#define RUN_TASKS(name, items, apart)                                                                          \
  __kernel __attribute__((reqd_work_group_size(items, 1, 1))) void name(                                       \
      __global const struct TaskCode* tasks, uint first, __global const struct SectionsCode* sections,         \
      __global const struct StepCode* steps, __global const struct LineCode* lines, __global ulong* all_states, \
      __global uint* all_flags, __global const ulong* memory, __global ulong* collected,                       \
      __global struct PeEvents* events, __global struct PeFault* faults, __global const ulong* turns_done,     \
      uint waits) {                                                                                            \
    __local struct LineCode lines_here[2];                                                                     \
    __local Pending stores[2 * ELEMENTS];                                                                      \
    __local uint noted;                                                                                        \
    const uint n = get_group_id(0);                                                                            \
    __global const struct TaskCode* task = tasks + first + n;                                                  \
    const int reached = !waits || (turns_done[2 * n] == task->first_turn && turns_done[2 * n + 1]);            \
    if (reached)                                                                                               \
      run_task(apart, task, sections, steps, lines, all_states, all_flags, memory, collected, events, faults,  \
               lines_here, stores, &noted);                                                                    \
  }
RUN_TASKS(run_tasks, PES, 0)
RUN_TASKS(run_tasks_apart, PES* ELEMENTS, 1)

/// i-particles: a work-item is a word of one of the chips' blocks. words: [fields][particles].
__kernel void put_particles(__global const ulong* words, __global const struct FieldCode* fields, uint particles,
                            uint first_chip, uint first_block, __global ulong* all_states) {
  const uint particle = get_global_id(0) % particles;
  const uint field = get_global_id(0) / particles;
  const uint place = (first_chip + get_global_id(2)) * BLOCKS + first_block + get_global_id(1);
  const uint element = particle % fields[field].of_pe;
  const ulong at = 2 * ((ulong)field * particles + particle);
  put_register(all_states + (ulong)place * BLOCK_WORDS, fields[field].row + (element << fields[field].is_long),
               fields[field].is_long, particle / fields[field].of_pe, word(words[at], words[at + 1] & 255));
}

/// Words to all broadcast memories.
__kernel void put_parameters(__global const ulong* words, uint address, __global ulong* all_states) {
  const uint n = get_global_id(0);
  __global ulong* bm = all_states + (ulong)get_global_id(1) * BLOCK_WORDS + BM_PLACE + address + 2 * n;
  const Word value = word(words[2 * n], words[2 * n + 1] & 255);
  bm[0] = upper_of(value);
  bm[1] = lower_of(value);
}

/// The tree: neighbours first. Counts events by kind. Without an operation the words of one block pass.
Word reduced(Word* words, uint op, uint is_long, uint block, volatile __global uint* counts) {
  for (uint distance = 1; distance < BLOCKS && op != 0; distance *= 2) {
    for (uint block = 0; block < BLOCKS; block += 2 * distance) {
      const Result sum = computed(op, words[block], words[block + distance], is_long);
      words[block] = sum.value;
      if (sum.event != 0) atomic_inc(&counts[sum.event - 1]);
    }
  }
  return words[op == 0 ? block : 0];
}

/// Results that stand in PEs of some chips. into: [chips][particles][fields], followed by counts: [chips][fields], three
/// of each, in halves of words.
__kernel void take_results(__global const ulong* all_states, __global const struct FieldCode* fields, uint field_count,
                           __global const uint* chips, __global ulong* into) {
  volatile __global uint* counts =
      (volatile __global uint*)(into + 2 * get_global_size(2) * get_global_size(0) * field_count);
  const uint particle = get_global_id(0);
  const uint number = get_global_id(1);
  const uint chip = chips[get_global_id(2)];
  __global const struct FieldCode* field = fields + number;
  const uint row = field->row + ((particle % field->of_pe) << field->is_long);
  Word words[BLOCKS];
  for (uint block = 0; block < BLOCKS; ++block) {
    words[block] = register_word(all_states + ((ulong)chip * BLOCKS + block) * BLOCK_WORDS, row, field->is_long,
                                 particle / field->of_pe);
  }
  const Word sum = reduced(words, field->reduction, field->node_is_long, field->block,
                           counts + 3 * (get_global_id(2) * field_count + number));
  const ulong at = 2 * ((get_global_id(2) * get_global_size(0) + particle) * field_count + number);
  into[at] = sum.h;
  into[at + 1] = sum.l;
}

/// Words that blocks have sent to the tree, `of_block` each, from `first` on; they leave from `first_out` on.
__kernel void take_collected(__global const ulong* collected, ulong first_word, ulong of_block, ulong first,
                             ulong first_out, uint op, uint is_long, uint of_one, __global ulong* into,
                             volatile __global uint* counts) {
  const ulong n = first + get_global_id(0);
  Word words[BLOCKS];
  for (uint block = 0; block < BLOCKS; ++block) {
    const ulong at = 2 * (first_word + block * of_block + n);
    words[block] = word(collected[at], collected[at + 1]);
  }
  const Word sum = reduced(words, op, is_long, of_one, counts);
  const ulong to = first_out + get_global_id(0);
  into[2 * to] = sum.h;
  into[2 * to + 1] = sum.l;
}
