// The arithmetic of docs/machine/arithmetic.md in 64-bit integers, as emulator/src has it in C++: each result is exact by
// construction on any device. A word has the 64 upper bits of a long word and its 8 lower ones.

typedef struct {
  ulong h, l;
} Word;

typedef struct {
  Word value;
  uint negative, zero, carry, event;
} Result;

/// An operand: significand x 2^exponent.
typedef struct {
  uint negative, infinite;
  int exponent;
  ulong significand;
} Float;

#define EVENT_INVALID 1
#define EVENT_OVERFLOW 2
#define EVENT_UNDERFLOW 3

ulong upper_of(Word a) { return a.h >> 28; }
ulong lower_of(Word a) { return ((a.h & 0xfffffffUL) << 8) | a.l; }
Word word(ulong h, ulong l) {
  Word a;
  a.h = h;
  a.l = l;
  return a;
}
Word widened(ulong a) { return word(a << 28, 0); }
Word joined(ulong upper, ulong lower) { return word((upper << 28) | (lower >> 8), lower & 255); }

Float value_of(Word a) {
  Float x;
  const int field = (int)(a.h >> 52) & 2047;
  x.negative = (uint)(a.h >> 63);
  x.infinite = field == 2047;
  x.exponent = field - 1023 - 60;
  x.significand = (1UL << 60) | ((a.h & 0xfffffffffffffUL) << 8) | a.l;
  if (x.infinite) x.significand = 1UL << 60;
  if (field == 0) {
    x.negative = 0;
    x.significand = 0;
  }
  return x;
}

Result assembled(uint negative, int field, ulong significand, uint event) {
  const ulong fraction = significand & ((1UL << 60) - 1);
  Result r;
  r.value = word(((ulong)negative << 63) | ((ulong)field << 52) | (fraction >> 8), fraction & 255);
  r.negative = negative;
  r.zero = r.value.h == 0 && r.value.l == 0;
  r.carry = 0;
  r.event = event;
  return r;
}

/// significand x 2^exponent to nearest even; bit 0 may stand for a rest below if it is two bits under the last one kept.
Result rounded(uint negative, int exponent, ulong significand, int precision) {
  if (significand == 0) return assembled(0, 0, 0, 0);
  const int length = 64 - (int)clz(significand);
  const int surplus = length - precision;
  ulong s;
  if (surplus > 0) {
    const ulong quotient = significand >> surplus;
    const ulong rest = significand - (quotient << surplus);
    const ulong half_of_last = 1UL << (surplus - 1);
    s = (quotient + (rest > half_of_last || (rest == half_of_last && (quotient & 1)))) << (61 - precision);
  } else {
    s = significand << (61 - length);
  }
  int field = exponent + length - 1 + 1023;
  if (s >> 61) {
    s >>= 1;
    ++field;
  }
  if (field < 1) return assembled(0, 0, 0, EVENT_UNDERFLOW);
  if (field >= 2047) return assembled(negative, 2047, 0, EVENT_OVERFLOW);
  return assembled(negative, field, s, 0);
}

ulong shifted_sticky(ulong a, int count) {
  if (count >= 64) return a != 0;
  const ulong quotient = a >> count;
  return quotient | ((quotient << count) != a);
}

int magnitude_less(Float a, Float b) {
  return a.exponent != b.exponent ? a.exponent < b.exponent : a.significand < b.significand;
}
int less_than(Float a, Float b) {
  if (a.negative != b.negative) return a.negative != 0;
  return a.negative ? magnitude_less(b, a) : magnitude_less(a, b);
}

Result sum_of(Float x, Float y, int precision) {
  if (x.infinite && y.infinite && x.negative != y.negative) return assembled(0, 2047, 0, EVENT_INVALID);
  if (x.infinite) return assembled(x.negative, 2047, 0, 0);
  if (y.infinite) return assembled(y.negative, 2047, 0, 0);
  const int swaps = magnitude_less(x, y);
  const Float large = swaps ? y : x;
  const Float small = swaps ? x : y;
  // Two bits below the last one, of which the lower one may be sticky; one more for a difference's leading zero. What
  // is shifted by more than one place loses no more than that.
  const int subtract = large.negative != small.negative;
  const int guard = subtract ? 3 : 2;
  const ulong a = large.significand << guard;
  const ulong b = shifted_sticky(small.significand << guard, large.exponent - small.exponent);
  return rounded(large.negative, large.exponent - guard, subtract ? a - b : a + b, precision);
}

/// Of the operands' top 50 bits, or of b's 25 where it is a short word.
Result product_of(Float x, Float y, int precision) {
  const uint negative = x.negative != y.negative;
  if (x.infinite || y.infinite) {
    if (x.significand == 0 || y.significand == 0) return assembled(0, 2047, 0, EVENT_INVALID);
    return assembled(negative, 2047, 0, 0);
  }
  const ulong a = x.significand >> 11;
  const ulong b = y.significand >> 11;
  int exponent = x.exponent + y.exponent + 22;
  const ulong high = mul_hi(a, b);
  ulong s = a * b;
  if (high != 0) {
    const int n = 64 - (int)clz(high);
    s = (high << (64 - n)) | shifted_sticky(s, n);
    exponent += n;
  }
  return rounded(negative, exponent, s, precision);
}

Result passed(Float x, int precision) {
  if (x.infinite) return assembled(x.negative, 2047, 0, 0);
  return rounded(x.negative, x.exponent, x.significand, precision);
}

/// 72 or 36 bits, right-aligned.
typedef struct {
  ulong high, low;
} Bits;

Bits bits_of(Word a, uint is_long) {
  Bits v;
  v.high = is_long ? a.h >> 56 : 0;
  v.low = is_long ? (a.h << 8) | a.l : upper_of(a);
  return v;
}
Bits shifted_left(Bits a, uint n) {
  Bits v;
  v.high = n == 0 ? a.high : n < 64 ? (a.high << n) | (a.low >> (64 - n)) : a.low << (n - 64);
  v.low = n < 64 ? a.low << n : 0;
  return v;
}
Bits shifted_right(Bits a, uint n) {
  Bits v;
  v.low = n == 0 ? a.low : n < 64 ? (a.low >> n) | (a.high << (64 - n)) : a.high >> (n - 64);
  v.high = n < 64 ? a.high >> n : 0;
  return v;
}
int below(Bits a, Bits b) { return a.high < b.high || (a.high == b.high && a.low < b.low); }

Bits bits(ulong high, ulong low) {
  Bits v;
  v.high = high;
  v.low = low;
  return v;
}
Bits ones_of(uint is_long) { return is_long ? bits(255, ~0UL) : bits(0, (1UL << 36) - 1); }
Bits sign_of(uint is_long) { return is_long ? bits(128, 0) : bits(0, 1UL << 35); }
int is_negative(Bits v, uint is_long) {
  const Bits sign = sign_of(is_long);
  return (v.high & sign.high) != 0 || (v.low & sign.low) != 0;
}
/// As below(), of numbers with a sign.
int below_signed(Bits a, Bits b, uint is_long) {
  const Bits sign = sign_of(is_long);
  return below(bits(a.high ^ sign.high, a.low ^ sign.low), bits(b.high ^ sign.high, b.low ^ sign.low));
}

Result integer(Bits v, uint carry, uint is_long) {
  const Bits ones = ones_of(is_long);
  v.low &= ones.low;
  v.high &= ones.high;
  Result r;
  r.value = is_long ? word((v.high << 56) | (v.low >> 8), v.low & 255) : widened(v.low);
  r.negative = is_negative(v, is_long);
  r.zero = v.high == 0 && v.low == 0;
  r.carry = carry;
  r.event = 0;
  return r;
}

/// Bits by which a shift moves; 128 stands for more than there are.
uint shift_of(Bits b, uint is_long) { return b.high != 0 || b.low >= (is_long ? 72UL : 36UL) ? 128 : (uint)b.low; }

// ---- an operation each -----------------------------------------------------------------------------------------------

int precision_of(uint is_long) { return is_long ? 61 : 25; }

Result op_fadd(Word a, Word b, uint is_long) { return sum_of(value_of(a), value_of(b), precision_of(is_long)); }
Result op_fsub(Word a, Word b, uint is_long) {
  Float y = value_of(b);
  if (y.significand != 0) y.negative ^= 1;
  return sum_of(value_of(a), y, precision_of(is_long));
}
Result op_fpassa(Word a, Word b, uint is_long) { return passed(value_of(a), precision_of(is_long)); }
Result op_fmax(Word a, Word b, uint is_long) {
  const Float x = value_of(a);
  const Float y = value_of(b);
  return passed(less_than(x, y) ? y : x, precision_of(is_long));
}
Result op_fmin(Word a, Word b, uint is_long) {
  const Float x = value_of(a);
  const Float y = value_of(b);
  return passed(less_than(y, x) ? y : x, precision_of(is_long));
}
Result op_fmul(Word a, Word b, uint is_long) { return product_of(value_of(a), value_of(b), precision_of(is_long)); }
Result op_fmul2(Word a, Word b, uint is_long) { return op_fmul(a, b, is_long); }

Result op_uadd(Word x, Word y, uint is_long) {
  const Bits a = bits_of(x, is_long);
  const Bits b = bits_of(y, is_long);
  const Bits ones = ones_of(is_long);
  Bits v;
  v.low = a.low + b.low;
  v.high = a.high + b.high + (v.low < a.low);
  return integer(v, v.high > ones.high || (!is_long && v.low > ones.low), is_long);
}
Result op_usub(Word x, Word y, uint is_long) {
  const Bits a = bits_of(x, is_long);
  const Bits b = bits_of(y, is_long);
  return integer(bits(a.high - b.high - (a.low < b.low), a.low - b.low), below(a, b), is_long);
}
Result op_uand(Word x, Word y, uint is_long) {
  const Bits a = bits_of(x, is_long);
  const Bits b = bits_of(y, is_long);
  return integer(bits(a.high & b.high, a.low & b.low), 0, is_long);
}
Result op_uor(Word x, Word y, uint is_long) {
  const Bits a = bits_of(x, is_long);
  const Bits b = bits_of(y, is_long);
  return integer(bits(a.high | b.high, a.low | b.low), 0, is_long);
}
Result op_uxor(Word x, Word y, uint is_long) {
  const Bits a = bits_of(x, is_long);
  const Bits b = bits_of(y, is_long);
  return integer(bits(a.high ^ b.high, a.low ^ b.low), 0, is_long);
}
Result op_unot(Word x, Word y, uint is_long) {
  const Bits a = bits_of(x, is_long);
  return integer(bits(~a.high, ~a.low), 0, is_long);
}
Result op_ulsl(Word x, Word y, uint is_long) {
  const uint count = shift_of(bits_of(y, is_long), is_long);
  return integer(count == 128 ? bits(0, 0) : shifted_left(bits_of(x, is_long), count), 0, is_long);
}
Result op_ulsr(Word x, Word y, uint is_long) {
  const uint count = shift_of(bits_of(y, is_long), is_long);
  return integer(count == 128 ? bits(0, 0) : shifted_right(bits_of(x, is_long), count), 0, is_long);
}
Result op_uasr(Word x, Word y, uint is_long) {
  const Bits a = bits_of(x, is_long);
  const uint count = shift_of(bits_of(y, is_long), is_long);
  Bits v = count == 128 ? bits(0, 0) : shifted_right(a, count);
  if (is_negative(a, is_long)) {
    const Bits kept = count == 128 ? bits(0, 0) : shifted_right(ones_of(is_long), count);
    v.low |= ~kept.low;
    v.high |= ~kept.high;
  }
  return integer(v, 0, is_long);
}
Result op_upassa(Word x, Word y, uint is_long) { return integer(bits_of(x, is_long), 0, is_long); }
Result op_umax(Word x, Word y, uint is_long) {
  const Bits a = bits_of(x, is_long);
  const Bits b = bits_of(y, is_long);
  return integer(below_signed(a, b, is_long) ? b : a, 0, is_long);
}
Result op_umin(Word x, Word y, uint is_long) {
  const Bits a = bits_of(x, is_long);
  const Bits b = bits_of(y, is_long);
  return integer(below_signed(b, a, is_long) ? b : a, 0, is_long);
}
Result op_ulzc(Word x, Word y, uint is_long) {
  const Bits a = bits_of(x, is_long);
  const ulong zeros = is_long ? (a.high != 0 ? clz(a.high) - 56 : 8 + clz(a.low)) : clz(a.low) - 28;
  return integer(bits(0, zeros), 0, is_long);
}

// OPERATIONS(X) is X(name) for each operation of the records. One that has no function above does not compile.
#define CASE_OF_OPERATION(name) \
  case OP_##name:               \
    return op_##name(a, b, is_long);

Result computed(uint op, Word a, Word b, uint is_long) {
  switch (op) { OPERATIONS(CASE_OF_OPERATION) }
  return assembled(0, 0, 0, 0);  // never: the host hands over operations of the records
}
