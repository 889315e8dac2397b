include "gdr.td"

// refused: value 2 is already taken
def Bad : Condition<"bad", 2, ".b"> { let Meaning = "m"; let Origin = "O: a test"; }
