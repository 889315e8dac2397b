include "gdr.td"

// refused: opcode 0 does not fit its slot (0 is no operation)
def BAD : Operation<Alu, "bad", 0, 2, Bits> { let Meaning = "m"; let Origin = "O: a test"; }
