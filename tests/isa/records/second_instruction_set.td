include "gdr.td"

// refused: there is one InstructionSet
def Bad : InstructionSet<1, 320, 4> { let Meaning = "m"; let Origin = "O: a test"; }
