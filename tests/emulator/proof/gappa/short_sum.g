# quick_forms.h, short + short, exponents more than 28 apart. Scaled so that the larger word x lies in [1, 2). No
# midpoint m between short words is nearer to the sum, exact or rounded to a double, than 2^-26: both round to the same
# word. Hypothesis: x and m are multiples of 2^-25 and x is no midpoint, so |x - m| >= 2^-25. Here m is below x; above x
# it is the same.
@D = float<ieee_64, ne>;
s D= x + y;
{ x in [1, 2] /\ |y| <= 0x1p-28 /\ x - m in [0x1p-25, 1]
  -> |s - x| <= 0x1.1p-28 /\ s - m >= 0x1p-26 /\ x + y - m >= 0x1p-26 }
s - x -> (s - (x + y)) + y;
s - m -> (s - x) + (x - m);
x + y - m -> (x - m) + y;
