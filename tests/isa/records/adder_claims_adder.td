include "gdr.td"

// refused: the adder claims itself
def BAD : Operation<Adder, "bad", 6, 2, FloatingPoint> { let Meaning = "m"; let Origin = "O: a test"; let ClaimsAdder = 1; }
