include "gdr.td"

// refused: value 7 leaves a gap: 4 records of Condition have the values 0 to 3
// refused: value 7 does not fit the 2 bits of
def Bad : Condition<"bad", 7, ".b"> { let Meaning = "m"; let Origin = "O: a test"; }
