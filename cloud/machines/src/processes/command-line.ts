/** One simple command, and when it runs: always, or depending on the exit code of the one before. */
export interface Step {
  readonly when: 'always' | 'on-success' | 'on-failure';
  readonly words: readonly string[];
}

const operators: Readonly<Record<string, Step['when']>> = {
  '&&': 'on-success',
  '||': 'on-failure',
  ';': 'always',
  '\n': 'always',
};

/** Pieces of a command line: quoted text, an escaped character, an operator, space, a comment, plain text. */
const piece =
  /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|(&&|\|\||;|\n)|([ \t]+)|([|&<>()`$*?~{}])|([^\s'"\\|&;<>()`$*?~{}]+)|(.)/gsy;

/** Splits command lines as sh(1) does, as far as it is modelled; anything else of the shell's language is refused. */
export function parseCommandLine(text: string): Step[] {
  const steps: Step[] = [];
  let words: string[] = [];
  let word: string | undefined;
  let when: Step['when'] = 'always';
  const endWord = () => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  const endStep = () => {
    endWord();
    if (words.length > 0) steps.push({ when, words });
    words = [];
  };
  for (const [, single, double, escaped, operator, space, special, plain, broken] of text.matchAll(piece)) {
    if (special !== undefined) throw new Error(`sh: ${special} is not modelled`);
    if (broken !== undefined) throw new Error(`sh: unterminated quoted string`);
    if (operator !== undefined) {
      endStep();
      when = operators[operator]!;
    } else if (space !== undefined) endWord();
    else word = (word ?? '') + (single ?? (double === undefined ? undefined : unquote(double)) ?? escaped ?? plain);
  }
  endStep();
  return steps;
}

function unquote(text: string): string {
  const expansion = /(?<!\\)[$`]/.exec(text);
  if (expansion !== null) throw new Error(`sh: ${expansion[0]} in double quotes is not modelled`);
  return text.replaceAll(/\\(["\\$`])/g, '$1');
}
