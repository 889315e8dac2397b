include "gdr.td"

// refused: '.z' is already the suffix of another condition
def Bad : Condition<"bad", 3, ".z"> { let Meaning = "m"; let Origin = "O: a test"; }
