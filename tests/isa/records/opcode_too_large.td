include "gdr.td"

// refused: opcode 16 does not fit its slot
def BAD : Operation<Alu, "bad", 16, 2, Bits> { let Meaning = "m"; let Origin = "O: a test"; }
