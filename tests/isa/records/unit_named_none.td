include "gdr.td"

// refused: 'none' is what no unit is called
def Bad : Unit<"none", 5, [Bits]> { let Meaning = "m"; let Origin = "O: a test"; let ForwardLatency = 1; let RegisterLatency = 2; }
