include "gdr.td"

// refused: the opcode of 'Alu' already has a field
def Bad : Field<"mask.bad", 319, 316, Opcode<Alu>> { let Meaning = "m"; let Origin = "O: a test"; }
