include "gdr.td"

// refused: the nodes of the reduction tree have no 'Multiplier'
// refused: opcode 4 does not fit its slot
def BAD : Operation<Multiplier, "bad", 4, 2, FloatingPoint> { let Meaning = "m"; let Origin = "O: a test"; let Reduces = 1; let Neutral = Zero; }
