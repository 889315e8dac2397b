include "gdr.td"

// refused: value 40 leaves a gap: 11 records of Source have the values 0 to 10
// refused: value 40 does not fit the 4 bits of
def Bad : Source<"bad", 40> { let Meaning = "m"; let Origin = "O: a test"; }
