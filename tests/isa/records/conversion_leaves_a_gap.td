include "gdr.td"

// refused: value 30 leaves a gap: 10 records of Conversion have the values 0 to 9
def BAD : Conversion<"bad", 30, 1, 1, Long> { let Meaning = "m"; let Origin = "O: a test"; }
