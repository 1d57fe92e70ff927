import { execFileSync } from 'node:child_process';

/** The widest line of prose in a Markdown file: a diff then shows the sentence that changed, not a paragraph. */
export const proseWidth = 120;

/** Lines that mean something by where they begin or end, and so stay as they are. */
const fixed = /^\s*(\||#|<|>|```|~~~|\[[^\]]+\]:|---|===|:::)|(\s{2}|\\)$/;
const item = /^(\s*)([-*+]|\d+[.)])\s+/;

/** Breaks paragraphs and list items that have a line wider than `proseWidth`. Tables, code, headings and quotes stay. */
export function wrapMarkdown(text: string): string {
  const out: string[] = [];
  let block: string[] = [];
  const flush = () => {
    out.push(...(block.some((line) => line.length > proseWidth) ? reflow(block) : block));
    block = [];
  };
  let fence: string | undefined;
  let frontMatter = text.startsWith('---\n');
  for (const [index, line] of text.split('\n').entries()) {
    const mark = /^\s*(```|~~~)/.exec(line)?.[1];
    const isCode = fence !== undefined || frontMatter;
    if (frontMatter && index > 0 && line === '---') frontMatter = false;
    else if (mark !== undefined && (fence === undefined || fence === mark))
      fence = fence === undefined ? mark : undefined;
    if (isCode || line.trim() === '' || fixed.test(line)) {
      flush();
      out.push(line);
    } else {
      if (item.test(line)) flush();
      block.push(line);
    }
  }
  flush();
  return out.join('\n');
}

function reflow(block: readonly string[]): string[] {
  const [first = ''] = block;
  const head = item.exec(first)?.[0] ?? /^\s*/.exec(first)![0];
  const indent = item.test(first)
    ? block[1] === undefined
      ? ' '.repeat(head.length)
      : /^\s*/.exec(block[1])![0]
    : head;
  const words = wordsOf([first.slice(head.length), ...block.slice(1)].map((line) => line.trim()).join(' '));
  const lines: string[] = [];
  let line = head;
  let isEmpty = true;
  for (const word of words) {
    // A word that would begin a list, a heading or a quote stays on the line before.
    const mayBreak = !/^([-+*]$|\d+[.)]$|[#>|=])/.test(word);
    if (!isEmpty && mayBreak && line.length + 1 + word.length > proseWidth) {
      lines.push(line);
      line = indent + word;
    } else {
      line += isEmpty ? word : ` ${word}`;
    }
    isEmpty = false;
  }
  return [...lines, line];
}

/** Code and links are not broken, whatever spaces they hold. */
function wordsOf(text: string): readonly string[] {
  return text.match(/(?:`[^`]*`|\[[^\]]*\]\([^)]*\)|[^\s`[]|`|\[)+/g) ?? [];
}

/** Markdown files of the repository, without those of other releases and the one that another program writes. */
export function markdownFiles(): readonly string[] {
  const left = [':!:**/fixtures/**', ':!:docs/reference/constructs.md'];
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.md', ...left], { encoding: 'utf8' });
  return listed.trim().split('\n');
}
