include "gdr.td"

// refused: 'FMULH' is another operation's first half
// refused: its first half has the same unit, the same sources and no destination
def BAD : Operation<Adder, "bad", 6, 2, FloatingPoint> { let Meaning = "m"; let Origin = "O: a test"; let FirstHalf = FMULH; }
