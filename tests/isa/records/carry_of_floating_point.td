include "gdr.td"

// refused: floating point has no carry
def BAD : Operation<Adder, "bad", 6, 2, FloatingPoint> { let Meaning = "m"; let Origin = "O: a test"; let WritesCarry = 1; }
