include "gdr.td"

// refused: its result needs a Function
def BAD : Operation<Alu, "bad", 15, 2, Bits> { let Meaning = "m"; let Origin = "O: a test"; let Function = ""; }
