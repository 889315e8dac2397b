include "gdr.td"

let FirstHalf = FMULH in
// refused: 'FMULH' is another operation's first half
// refused: opcode 4 does not fit its slot
def BAD : Operation<Multiplier, "bad", 4, 2, FloatingPoint> { let Meaning = "m"; let Origin = "O: a test"; }
