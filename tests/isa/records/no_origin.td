include "gdr.td"

// refused: 'BAD' has no Origin
def BAD : Operation<Alu, "bad", 15, 2, Bits> { let Meaning = "m"; }
