include "gdr.td"

// refused: it has no result of its own, so no Function
def FIRST : Operation<Adder, "first", 6, 2, FloatingPoint> { let Meaning = "m"; let Origin = "O: a test"; let HasDestination = 0; }
def SECOND : Operation<Adder, "second", 7, 2, FloatingPoint> { let Meaning = "m"; let Origin = "O: a test"; let FirstHalf = FIRST; }
