include "gdr.td"

// refused: SecondSourceIsShort needs two sources
def BAD : Operation<Adder, "bad", 6, 1, FloatingPoint> { let Meaning = "m"; let Origin = "O: a test"; let SecondSourceIsShort = 1; }
