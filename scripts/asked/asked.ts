/**
 * The callers of each part of the embedded cloud. The test suite records it, `cloud/asked.json` keeps it, COVERAGE.md
 * shows it. A modelled part without a caller is removed (docs/decisions/0016-the-cloud-is-a-double.md).
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

export interface AskedByFile {
  readonly file: string;
  readonly names: readonly string[];
}
/** Names of operations, resource types and APIs; for each asker one test file that asks, or '' where it is not known. */
export type Asked = Readonly<Record<string, Readonly<Record<string, string>>>>;

export const recordFolder = '.cache/asked';
/** Exists when the record is that of a whole `npm test`. */
export const wholeRecord = '.cache/asked-whole';
export const askedFile = 'cloud/asked.json';
/** Modelled although no test outside the cloud asks for it: the name and the reason. */
export const wantedFile = 'cloud/wanted.json';

/** Tests of the cloud itself do not count as callers. */
const askers: readonly (readonly [RegExp, string])[] = [
  [/^cloud\/aws\/test\/outside\/botocore/, ''],
  // Go is not everywhere.
  [/^cloud\/github\/test\/outside\/scaleset/, ''],
  [/^(cloud|apps|packages)\/[^/]+\/test\/outside\//, 'outside clients'],
  [/^cloud\/elasticsearch\/test\/yaml-rest\//, 'YAML contract'],
  [/^cloud\/aws\/test\/contract\//, 'AWS contract'],
  [/^cloud\//, ''],
  [/^apps\/(functions|runner-agent|cluster-cli|drover)\//, '$1'],
  [/^packages\/constructs\//, 'templates'],
  [/^examples\//, 'templates'],
  [/^packages\/(stage|simulation)\//, 'simulation'],
  [/^(packages|scripts|bench)\//, 'programs'],
];

function askerOf(file: string): string {
  const [pattern, name] = askers.find(([candidate]) => candidate.test(file)) ?? [/$/, ''];
  return name.replace('$1', pattern.exec(file)?.[1] ?? '');
}

/** The contract against an account asks nothing of the cloud of its own process, and must not take away what the same file asks here. */
export const isRecorded = (environment: Readonly<Record<string, string | undefined>>): boolean =>
  environment.DROVER_CONTRACT_TARGET === undefined;

/** The records of all test files that ran here. */
export const recordedFiles = (): AskedByFile[] =>
  (existsSync(recordFolder) ? readdirSync(recordFolder) : []).map(
    (name) => JSON.parse(readFileSync(`${recordFolder}/${name}`, 'utf8')) as AskedByFile,
  );

/**
 * The list with what these test files ask. Entries of other files stay; those of a file that ran and asks no more go, unless another of
 * these files asks.
 */
export function mergeAsked(before: Asked, records: readonly AskedByFile[]): Asked {
  const asksStill = (name: string, file: string) =>
    records.every((record) => record.file !== file || record.names.includes(name));
  const merged = new Map(
    Object.entries(before).map(([name, askers]) => [
      name,
      new Map(Object.entries(askers).filter(([, file]) => asksStill(name, file))),
    ]),
  );
  for (const { file, names } of [...records].sort((a, b) => (a.file < b.file ? -1 : 1))) {
    const asker = askerOf(file);
    for (const name of asker === '' ? [] : names) {
      const askers = merged.get(name) ?? new Map<string, string>();
      if (!askers.has(asker)) askers.set(asker, file);
      merged.set(name, askers);
    }
  }
  const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1);
  const kept = [...merged].filter(([, askers]) => askers.size > 0).sort(byName);
  return Object.fromEntries(kept.map(([name, askers]) => [name, Object.fromEntries([...askers].sort(byName))]));
}

/** The committed list has `asker: test file`, or the asker alone. */
export const committedAsked = (): Asked =>
  Object.fromEntries(
    Object.entries(JSON.parse(readFileSync(askedFile, 'utf8')) as Record<string, string[]>).map(([name, askers]) => [
      name,
      Object.fromEntries(askers.map((text) => [text.split(': ')[0]!, text.split(': ')[1] ?? ''])),
    ]),
  );

export function writeAsked(asked: Asked): void {
  const lines = Object.entries(asked).map(([name, askers]) => [
    name,
    Object.entries(askers).map(([asker, file]) => (file === '' ? asker : `${asker}: ${file}`)),
  ]);
  writeFileSync(askedFile, `${JSON.stringify(Object.fromEntries(lines), null, 2)}\n`);
  execFileSync('node_modules/.bin/biome', ['format', '--write', askedFile], { stdio: 'inherit' });
}

/** The command that records test files alone. */
export const recordCommand = 'npm run coverage -- --record TEST-FILES';
export const wanted = (): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(wantedFile, 'utf8')) as Readonly<Record<string, string>>;

/**
 * How a whole run of the suite differs from the committed list. Names are compared, not each asker: which of two programs makes a rare call
 * first may depend on time. Where an outside client is missing its tests were skipped, so that `complete` is false and an absence says
 * nothing.
 */
export function differences(recorded: Asked, committed: Asked, complete: boolean): string[] {
  const lacking = (names: Asked, others: Asked) => Object.keys(names).filter((name) => others[name] === undefined);
  return [
    ...lacking(recorded, committed).map((name) => `asked, but not in ${askedFile}: ${name}`),
    ...(complete ? lacking(committed, recorded).map((name) => `in ${askedFile}, but not asked: ${name}`) : []),
  ];
}
