include "gdr.td"

// refused: 'Alu' has no operations of kind floating_point
def BAD : Operation<Alu, "bad", 15, 2, FloatingPoint> { let Meaning = "m"; let Origin = "O: a test"; }
// refused: 'Adder' has no operations of kind integer
def ALSOBAD : Operation<Adder, "alsobad", 6, 2, Integer> { let Meaning = "m"; let Origin = "O: a test"; }
