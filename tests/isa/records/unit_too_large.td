include "gdr.td"

// refused: value 9 leaves a gap: 5 records of Unit have the values 1 to 5
// refused: value 9 does not fit the 3 bits of
def Bad : Unit<"bad", 9, [Bits]> { let Meaning = "m"; let Origin = "O: a test"; let ForwardLatency = 1; let RegisterLatency = 2; }
