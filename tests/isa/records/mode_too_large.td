include "gdr.td"

// refused: value 4 leaves a gap
// refused: value 4 does not fit the 2 bits of 'bm.mode'
def Bad : BmMode<"bad", 4> { let Meaning = "m"; let Origin = "O: a test"; }
