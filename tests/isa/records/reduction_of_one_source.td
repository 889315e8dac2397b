include "gdr.td"

// refused: Reduces needs two sources
def BAD : Operation<Alu, "bad", 15, 1, Bits> { let Meaning = "m"; let Origin = "O: a test"; let Reduces = 1; let Neutral = Zero; }
