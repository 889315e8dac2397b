// Highlighting by the TextMate grammar that is made from the records of the instruction set: rules with `match`, or with
// `begin` and `end`, for CodeMirror.

const classes = [
  ["comment", "comment"], ["string", "string"], ["variable.language", "variable-2"], ["keyword", "keyword"],
  ["support.function", "builtin"], ["storage.modifier", "qualifier"], ["constant", "number"], ["meta", "meta"],
];
const classOf = name => (classes.find(([scope]) => name.startsWith(scope)) || [null, null])[1];
const sticky = text => new RegExp(text, "y");

function rulesOf(patterns, repository) {
  return patterns.map(pattern => {
    if (pattern.include) return rulesOf([repository[pattern.include.slice(1)]], repository)[0];
    const rule = {style: classOf(pattern.name)};
    if (pattern.match) return {...rule, match: sticky(pattern.match)};
    return {...rule, match: sticky(pattern.begin), end: sticky(pattern.end), inner: rulesOf(pattern.patterns || [], repository)};
  });
}

const word = /[A-Za-z_]\w*|\s+|./y;

function taken(stream, expression) {
  expression.lastIndex = stream.pos;
  const found = expression.exec(stream.string);
  if (!found) return false;
  stream.pos += found[0].length;
  return true;
}

/// LSUMP's language: docs/kernels/compiler.md.
function defineLsump(CodeMirror) {
  const rules = [
    [/#.*/y, "comment"], [/\/[A-Z]+\b/y, "keyword"], [/(long|short)\b/y, "qualifier"], [/[A-Za-z_]\w*(?=\s*\()/y, "builtin"],
    [/(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?/y, "number"], [word, null],
  ];
  CodeMirror.defineMode("lsump", () => ({
    token: stream => rules.find(([expression]) => taken(stream, expression))[1],
    lineComment: "#",
  }));
}

export function defineLanguage(CodeMirror, grammar) {
  defineLsump(CodeMirror);
  const rules = rulesOf(grammar.patterns, grammar.repository);
  CodeMirror.defineMode("gdr", () => ({
    startState: () => ({inside: []}),
    copyState: state => ({inside: [...state.inside]}),
    token(stream, state) {
      if (stream.sol()) state.inside = [];
      const around = state.inside.at(-1);
      if (around && taken(stream, around.end)) {
        state.inside.pop();
        return around.style;
      }
      const begin = stream.pos;
      for (const rule of around ? around.inner : rules) {
        if (!taken(stream, rule.match)) continue;
        if (rule.end) state.inside.push(rule);
        if (stream.pos > begin) return rule.style;
      }
      taken(stream, word);
      return around ? around.style : null;
    },
    lineComment: "#",
  }));
}
