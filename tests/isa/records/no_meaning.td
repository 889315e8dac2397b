include "gdr.td"

// refused: 'BAD' has no Meaning
def BAD : Operation<Alu, "bad", 15, 2, Bits> { let Origin = "O: a test"; }
