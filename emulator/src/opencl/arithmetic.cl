// The arithmetic of docs/arithmetic.md in 64-bit integers, as emulator/src has it in C++: each result is exact by
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

Result integer_result(uint op, Word x, Word y, uint is_long) {
  const Bits a = bits_of(x, is_long);
  const Bits b = bits_of(y, is_long);
  const uint width = is_long ? 72 : 36;
  Bits ones, sign;
  ones.high = is_long ? 255 : 0;
  ones.low = is_long ? ~0UL : (1UL << 36) - 1;
  sign.high = is_long ? 128 : 0;
  sign.low = is_long ? 0 : 1UL << 35;
  const int a_negative = (a.high & sign.high) != 0 || (a.low & sign.low) != 0;
  const int far = b.high != 0 || b.low >= width;
  const uint count = far ? 0 : (uint)b.low;
  Bits flipped_a = a, flipped_b = b;
  flipped_a.high ^= sign.high;
  flipped_a.low ^= sign.low;
  flipped_b.high ^= sign.high;
  flipped_b.low ^= sign.low;
  Bits v = a;
  uint carry = 0;
  switch (op) {
    case OP_uadd:
      v.low = a.low + b.low;
      v.high = a.high + b.high + (v.low < a.low);
      carry = v.high > ones.high || (!is_long && v.low > ones.low);
      break;
    case OP_usub:
      v.low = a.low - b.low;
      v.high = a.high - b.high - (a.low < b.low);
      carry = below(a, b);
      break;
    case OP_uand:
      v.low = a.low & b.low;
      v.high = a.high & b.high;
      break;
    case OP_uor:
      v.low = a.low | b.low;
      v.high = a.high | b.high;
      break;
    case OP_uxor:
      v.low = a.low ^ b.low;
      v.high = a.high ^ b.high;
      break;
    case OP_unot:
      v.low = ~a.low;
      v.high = ~a.high;
      break;
    case OP_ulsl:
      v = shifted_left(a, count);
      if (far) v.low = v.high = 0;
      break;
    case OP_ulsr:
      v = shifted_right(a, count);
      if (far) v.low = v.high = 0;
      break;
    case OP_uasr: {
      Bits kept = shifted_right(ones, count);
      v = shifted_right(a, count);
      if (far) v.low = v.high = kept.low = kept.high = 0;
      if (a_negative) {
        v.low |= ~kept.low;
        v.high |= ~kept.high;
      }
      break;
    }
    case OP_umax:
      if (below(flipped_a, flipped_b)) v = b;
      break;
    case OP_umin:
      if (below(flipped_b, flipped_a)) v = b;
      break;
    case OP_ulzc:
      v.low = is_long ? (a.high != 0 ? clz(a.high) - 56 : 8 + clz(a.low)) : clz(a.low) - 28;
      v.high = 0;
      break;
    default:  // OP_upassa
      break;
  }
  v.low &= ones.low;
  v.high &= ones.high;
  Result r;
  r.value = is_long ? word((v.high << 56) | (v.low >> 8), v.low & 255) : widened(v.low);
  r.negative = (v.high & sign.high) != 0 || (v.low & sign.low) != 0;
  r.zero = v.high == 0 && v.low == 0;
  r.carry = carry;
  r.event = 0;
  return r;
}

Result computed(uint op, Word a, Word b, uint is_long) {
  const int precision = is_long ? 61 : 25;
  const Float x = value_of(a);
  Float y = value_of(b);
  switch (op) {
    case OP_fsub:
      if (y.significand != 0) y.negative ^= 1;
      return sum_of(x, y, precision);
    case OP_fadd:
      return sum_of(x, y, precision);
    case OP_fpassa:
      return passed(x, precision);
    case OP_fmax:
      return passed(less_than(x, y) ? y : x, precision);
    case OP_fmin:
      return passed(less_than(y, x) ? y : x, precision);
    case OP_fmul:
    case OP_fmul2:
      return product_of(x, y, precision);
    default:
      return integer_result(op, a, b, is_long);
  }
}
