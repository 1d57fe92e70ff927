/**
 * Runs the commands of docs/WHAT-IF.md that have a report below them, and writes reports, picture and processor time into
 * the page: `npm run build && npx tsx scripts/docs/what-if/what-if.ts`. The week takes some minutes. docs/cost.md repeats figures
 * of it, which a test compares.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { wrapMarkdown } from '../wrap-markdown.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const page = `${root}docs/WHAT-IF.md`;
const picture = `${root}docs/images/what-if.svg`;
const spent = /It\s+needed\s+\d+\s+min\s+\d+\s+s\s+of\s+processor\s+time/;

/** A block with a command, and the next one that is the report of one. */
const withReport =
  /```\n(?:cd [^\n]*\n)?drover (what-if [^\n]*--jobs [^\n]*)\n```([\s\S]*?)```\n(\d+ jobs from [\s\S]*?)```/g;

/** The command of each report, and the page with other reports. */
export function withReports(text: string, run: (argv: readonly string[]) => string): string {
  return text.replace(withReport, (all, command: string, _between: string, report: string) =>
    all.replace(report, () => run(command.split(' ').map((word) => (word === 'what-if.svg' ? picture : word)))),
  );
}

/** The page with another processor time of the week. */
export const withTime = (text: string, seconds: number): string =>
  text.replace(spent, `It needed ${Math.floor(seconds / 60)} min ${seconds % 60} s of processor time`);

/** Seconds of the processor that ended children have used; Linux alone says it. */
function childSeconds(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

function runDrover(argv: readonly string[]): string {
  return execFileSync(process.execPath, [`${root}apps/drover/bin/drover.js`, ...argv], {
    cwd: `${root}examples/what-if`,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  let took: number | undefined;
  const text = withReports(readFileSync(page, 'utf8'), (argv) => {
    const before = childSeconds();
    const report = runDrover(argv);
    took ??= Math.round(childSeconds() - before);
    return report;
  });
  writeFileSync(page, wrapMarkdown(withTime(text, took ?? 0)));
}
