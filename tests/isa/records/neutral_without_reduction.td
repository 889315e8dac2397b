include "gdr.td"

// refused: Neutral is of reductions alone
def BAD : Operation<Alu, "bad", 15, 2, Bits> { let Meaning = "m"; let Origin = "O: a test"; let Neutral = Zero; }
