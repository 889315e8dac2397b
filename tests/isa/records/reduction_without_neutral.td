include "gdr.td"

// refused: a reduction needs its Neutral
def BAD : Operation<Alu, "bad", 15, 2, Bits> { let Meaning = "m"; let Origin = "O: a test"; let Reduces = 1; }
