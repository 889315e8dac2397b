include "gdr.td"

// refused: there is one NoOperation
def BAD : NoOperation<"bad"> { let Meaning = "m"; let Origin = "O: a test"; }
