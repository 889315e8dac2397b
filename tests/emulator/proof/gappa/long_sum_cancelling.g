# The same where the high planes cancel. Hypothesis: then h, the sum of the high planes, is exact [Sterbenz, Floating-
# Point Computation, 1974, theorem 4.3.1]. The low planes are multiples of 2^-61 of at most 2^-52, so that their sum is
# exact, too. One rounding is left: half a unit of s in [1/2, 1).
@D = float<ieee_64, ne>;
a = fixed<-61, ne>(aa);
b = fixed<-61, ne>(bb);
l D= a + b;
s D= h + l;
{ |a| <= 0x1p-52 /\ |b| <= 0x1p-52 /\ |s| in [0.5, 0x1.fffffffffffffp-1]
  -> l - (a + b) in [0, 0] /\ |s - (h + a + b)| <= 0x1p-54 }
s - (h + a + b) -> (s - (h + l)) + (l - (a + b));
h + l -> s - (s - (h + l));
