include "gdr.td"

// refused: RegisterLatency must be at least 1 line
def Bad : Unit<"bad", 5, [Bits]> { let Meaning = "m"; let Origin = "O: a test"; let ForwardLatency = 1; }
