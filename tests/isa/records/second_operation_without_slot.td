include "gdr.td"

// refused: 'Bm' has no slot, so one operation is all it can have
def BAD : Operation<Bm, "bad", 2, 1, Bits> { let Meaning = "m"; let Origin = "O: a test"; let Function = ""; }
