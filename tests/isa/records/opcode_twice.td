include "gdr.td"

// refused: opcode 1 is already taken
def BAD : Operation<Alu, "bad", 1, 2, Bits> { let Meaning = "m"; let Origin = "O: a test"; }
