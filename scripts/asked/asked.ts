/**
 * The callers of each part of the embedded cloud. The test suite records it, `cloud/asked.json` keeps it, COVERAGE.md
 * shows it. A modelled part without a caller is removed (docs/decisions/0016-the-cloud-is-a-double.md).
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

export interface AskedByFile {
  readonly file: string;
  readonly names: readonly string[];
}
/** Names of operations, resource types and APIs, each with who asks for it. */
export type Asked = Readonly<Record<string, readonly string[]>>;

export const recordFolder = '.cache/asked';
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

/** The record of the suite's last run. */
export function recordedAsked(): Asked {
  const by = new Map<string, Set<string>>();
  const files = existsSync(recordFolder) ? readdirSync(recordFolder) : [];
  for (const name of files) {
    const record = JSON.parse(readFileSync(`${recordFolder}/${name}`, 'utf8')) as AskedByFile;
    const asker = askerOf(record.file);
    if (asker === '') continue;
    for (const what of record.names) by.set(what, (by.get(what) ?? new Set()).add(asker));
  }
  return Object.fromEntries([...by].sort(([a], [b]) => (a < b ? -1 : 1)).map(([what, who]) => [what, [...who].sort()]));
}

export const committedAsked = (): Asked => JSON.parse(readFileSync(askedFile, 'utf8')) as Asked;
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
