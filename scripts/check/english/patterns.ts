import type { Piece } from './pieces.ts';

/** A phrase that a native engineer would not write, and what to write instead. */
export interface Pattern {
  readonly name: string;
  readonly found: RegExp;
  /** @default every kind of text */
  readonly kinds?: readonly Piece['kind'][];
  readonly instead: string;
}

export const patterns: readonly Pattern[] = [
  {
    name: 'so many',
    found: /\bso (many|much|few|often|long)\b(?! as\b| (\w+ ){0,4}that\b)/i,
    instead: 'name the quantity: "number of …", "how often …", "at most this many …", "N seconds"',
  },
  {
    name: 'answer',
    found: /(?<!-)\banswer(s|ed|ing)?\b(?!\.\w)/i,
    instead: '"returns" for a function, "responds" or "response" for a service',
  },
  {
    name: 'in the place of',
    found: /\bin (the place of|(its|their) place)\b/i,
    instead: '"instead of", or "replaces"',
  },
  { name: 'anew', found: /\banew\b/i, instead: '"again", or a verb with re-: "rebuilt", "regenerated"' },
  {
    name: 'tell',
    found: /\b(tells?|told|telling)\b(?!( \S+){0,5} (apart|from)\b|( \S+){1,4} to \w+\b)/i,
    instead: '"shows", "reports", "describes", "says"; a service "notifies"',
  },
  {
    name: 'somebody',
    found: /\b(whoever|somebody|nobody|everybody|anybody)('s)?\b/i,
    instead: 'name the person or program: "the caller", "an operator", "another run"; else "someone", "no one"',
  },
  {
    name: 'is said',
    found: /\b(is|are|was|were|be|been) said\b/i,
    instead: 'who says it: "the log says", "GitHub reports"; or "stated", "documented"',
  },
  { name: 'good for', found: /\bgood for\b/i, instead: '"valid for", "used for", "enough for"' },
  {
    name: 'clause as a comment',
    kinds: ['comment'],
    found: /^((What|Who|Whose|Whom)\b(?!((?!\. ).)*\?)|Where\b(?!((?!\. ).)*[,?]))/,
    instead: 'a noun phrase that names the thing ("The rows of …"), or a sentence that says what it does',
  },
];

/** Texts where the word is right, with the reason; `file` is the beginning of a path. */
export const allowed: readonly { readonly file: string; readonly text: RegExp; readonly because: string }[] = [
  {
    file: 'cloud/elasticsearch/test/contract/',
    text: /\b(nobody|answers|tell)\b/,
    because: 'names of cases, under which the responses of a real server are recorded',
  },
  { file: 'cloud/elasticsearch/test/schema/session.ts', text: /node_names=nobody/, because: 'the name of a node' },
  { file: 'cloud/github/src/runner-software/contract/', text: /"nobody"/, because: 'a group in a message of GitHub' },
  { file: 'cloud/aws/test/outside/', text: /--role-name nobody|told: 'a story'/, because: 'a name, and a payload' },
  { file: 'packages/simulation/src/stories/', text: /token nobody/, because: 'a wrong credential' },
  { file: 'apps/runner-agent/test/outside/', text: /--reuid nobody/, because: 'the user of Debian' },
  { file: 'scripts/machines/', text: /Maintainer: nobody <nobody@example.com>/, because: 'a name' },
  { file: 'apps/console/src/what-if/answer.tsx', text: /answer (bad|good)/, because: 'names of classes' },
  { file: 'bench/', text: /\(answer\) => |\banswer\.on/, because: 'a program' },
  { file: 'scripts/check/english/', text: /.*/, because: 'the patterns themselves' },
  { file: '', text: /\d{4}-[a-z-]+\.md/, because: 'the name of a decision' },
  {
    file: 'docs/internal/REALITY.md',
    text: /lets nobody read anything else/,
    because: 'the name of a case, under which the responses of a real server are recorded',
  },
  {
    file: 'docs/internal/SPEC-COVERAGE.md',
    text: /are answered by the platform/,
    because: 'quoted from the specification',
  },
  { file: 'apps/drover/test/', text: /no (function|runner) nobody/, because: 'a wrong name' },
];
