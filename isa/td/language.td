// The assembly language's own words, so that no record takes one of them for its name. What they mean stands in
// docs/kernels/assembly.md.

foreach text = ["kernel", "flops", "var", "bvar", "reg", "param", "const", "repeat", "if", "macro", "include",
                "experiment", "initialization", "loop", "else", "end"] in
def : Word<text, StatementWord>;

foreach text = ["vlen", "mask", "transfer", "collect"] in
def : Word<text, ItemWord>;

foreach text = ["vector", "scalar", "long", "short", "in", "gpr", "packed", "select", "not_first", "block", "each"] in
def : Word<text, AttributeWord>;

// $ok1 and $lok1 are flags, $ti and $lti T as the line before wrote it, /j the block's $jvalid.
foreach text = ["ok", "lok", "ti", "lti", "jvalid"] in
def : Word<text, RegisterWord>;
