# quick_forms.h and number_forms.cpp, short result of a sum with long words. Scaled so that the rounded result s lies in
# [1, 2): its last place is 2^-52. x, y: high planes, h their sum, at most four times the result. a, b: low planes.
# Three roundings are at most 1.5 units of the last place (1 + 2^-30) away from the exact sum. The forms leave over what
# is within four units of a tie.
@D = float<ieee_64, ne>;
h D= x + y;
l D= a + b;
s D= h + l;
{ |s| in [1, 0x1.fffffffffffffp0] /\ |a| <= 0x1p-50 /\ |b| <= 0x1p-50 /\ |h| <= 8
  -> |s - (x + y + a + b)| <= 0x1.80000001p-52 }
s - (x + y + a + b) -> (s - (h + l)) + (h - (x + y)) + (l - (a + b));
h -> (h + l) - l;
h + l -> s - (s - (h + l));
