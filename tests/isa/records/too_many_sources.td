include "gdr.td"

// refused: an operation has one or two sources, not 3
def BAD : Operation<Alu, "bad", 15, 3, Bits> { let Meaning = "m"; let Origin = "O: a test"; }
