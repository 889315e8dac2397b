include "gdr.td"

// refused: suffix 'b' is no dot with small letters behind it
def Bad : Condition<"bad", 3, "b"> { let Meaning = "m"; let Origin = "O: a test"; }
