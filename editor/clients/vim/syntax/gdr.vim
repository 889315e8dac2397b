" Vim syntax file of GRAPE-DR assembly.
" Generated from isa/td by gdr-tablegen -gen-vim; do not edit.
if exists("b:current_syntax")
  finish
endif
syn case match
syn keyword gdrOperation bm fadd fmax fmin fmul fmulh fmull fpass fpassa fsub nop uadd uand uasr ulsl ulsr ulzc umax umin unop unot uor upass upassa usub uxor
syn keyword gdrItem collect mask transfer vlen
syn keyword gdrAttribute block each elt fix36to64 fix64to36 fix64to72 fix72to64 flt36to64 flt64to36 flt64to72 flt72to64 gpr hlt in long none not_first packed rrn scalar select short vector
syn match gdrNumber !\v<%(0x[0-9A-Fa-f]+|\d+)>!
syn match gdrStatement !\v^\s*<%(initialization|experiment|include|kernel|repeat|const|flops|macro|param|bvar|else|loop|end|reg|var|if)>!
syn match gdrSection !\v^\s*<%(initialization|loop\s+%(initialization|body|termination))>!
syn match gdrRegister !\v\$%(%(jvalid|bbid|peid|lti|lt|ti|t)>|l?ok\d+%(\.c|\.z)?|l?%(b|j|m|r)t?%(\d+|\{[^}]*\})v?%(\.[ab])?)!
syn region gdrString start=!\v<%(il|is|hl|hs|f|fs)?"! end=!"! oneline
syn match gdrComment !#.*$!
hi def link gdrOperation Function
hi def link gdrItem Keyword
hi def link gdrAttribute StorageClass
hi def link gdrNumber Number
hi def link gdrStatement Statement
hi def link gdrSection PreProc
hi def link gdrRegister Identifier
hi def link gdrString String
hi def link gdrComment Comment
let b:current_syntax = "gdr"
