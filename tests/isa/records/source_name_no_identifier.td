include "gdr.td"

// refused: 'a b' cannot be a name in C++
def Bad : Source<"a b", 10> { let Meaning = "m"; let Origin = "O: a test"; }
