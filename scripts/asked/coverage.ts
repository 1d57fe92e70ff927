/**
 * Writes cloud/COVERAGE.md from what the embedded cloud says it models and from who asks for it (`npm run coverage`). With `--record` it
 * first takes over what the last whole run of `npm test` recorded; with `--record TEST-FILES` it runs these files and takes over what they
 * ask.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { routes as searchRoutes } from '@drover/cloud-elasticsearch';
import { routes as gitHubRoutes, serviceRoutes } from '@drover/cloud-github';
import { World } from '@drover/cloud-world';
import { wrapMarkdown } from '../docs/wrap-markdown.ts';
import {
  type Asked,
  askedFile,
  committedAsked,
  mergeAsked,
  recordCommand,
  recordedFiles,
  wanted,
  wholeRecord,
  writeAsked,
} from './asked.ts';

/** The path of the list. */
export const coverageFile = fileURLToPath(new URL('../../cloud/COVERAGE.md', import.meta.url));

const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort((a, b) => (a < b ? -1 : 1));

/** Everything that is modelled, by the names under which it is recorded. */
export function modelled(): Readonly<Record<'operations' | 'types' | 'searchApis' | 'gitHubRoutes', string[]>> {
  const { services, resources } = new World().aws;
  return {
    operations: Object.entries(services).flatMap(([id, { operations }]) =>
      sorted(Object.keys(operations)).map((name) => `aws ${id}:${name}`),
    ),
    types: sorted(Object.keys(resources)).map((type) => `type ${type}`),
    searchApis: sorted(searchRoutes.map(({ api }) => `elasticsearch ${api}`)),
    gitHubRoutes: [...gitHubRoutes, ...serviceRoutes].map(({ method, path }) => `github ${method} ${path}`),
  };
}

/** Read-only APIs that operators type; they stay without an asker (decision 16). */
const typedByOperators =
  /^elasticsearch ((cat|cluster|nodes|snapshot)\.(?!put|delete|post|clone|restore|create|reroute|cleanup)|favicon)/;

/** The callers of a part: from the record, a written reason, or none. */
export function askersOf(name: string, asked: Asked): readonly string[] {
  const reason = wanted()[name];
  const askers = [...Object.keys(asked[name] ?? {}), ...(reason === undefined ? [] : [reason])];
  return askers.length === 0 && typedByOperators.test(name) ? ['operators'] : askers;
}

/** Modelled, and without a caller. */
export function unasked(asked: Asked): string[] {
  return Object.values(modelled())
    .flat()
    .filter((name) => askersOf(name, asked).length === 0);
}

const table = (title: string, names: readonly string[], asked: Asked) => [
  `| ${title} | asked by |`,
  '|---|---|',
  ...names.map((name) => `| ${name.replace(/^\w+ /, '')} | ${askersOf(name, asked).join(', ')} |`),
  '',
];

/** The whole document. */
export function renderCoverage(): string {
  const asked = committedAsked();
  const { operations, types, searchApis, gitHubRoutes: gitHub } = modelled();
  return [
    '# What the embedded cloud models, and who asks for it',
    '',
    'Written by `npm run coverage` from the registries of the services and from what the test suite recorded; do not edit it by hand.',
    'A part without a caller is removed ([decision 16](../docs/decisions/0016-the-cloud-is-a-double.md)).',
    '',
    `## AWS operations (${operations.length})`,
    '',
    'Every other operation returns `NotImplemented` (HTTP 501), which names it.',
    '',
    ...table('operation', operations, asked),
    `## CloudFormation resource types with behaviour (${types.length})`,
    '',
    "A type of a service that is not modelled here is accepted without behaviour if AWS's public resource specification knows it: its",
    'properties are checked (unknown, missing, wrong type). Its Ref and attributes are what the template gives, a generated name, an',
    'opaque id, or an ARN of such parts; a template that uses another one, as the URL of a queue, is refused. Any other type is refused',
    'by its name. `AWS::CDK::Metadata` is accepted and ignored. `AWS::CloudFormation::Stack`, `AWS::CloudFormation::Macro`,',
    'transforms and the `CreationPolicy` attribute are refused by name. Stacks act with full rights: the permissions of the caller are',
    'checked for the CloudFormation call itself, not for the calls that CloudFormation would make on their behalf.',
    '',
    ...table('type', types, asked),
    `## GitHub (${gitHub.length})`,
    '',
    ...table('route', gitHub, asked),
    `## Elasticsearch (${searchApis.length})`,
    '',
    'APIs by their names in the API description of Elasticsearch. A path, method or parameter that the description has and the model has',
    'not is refused with "not modelled by the embedded cluster: …" and the header `x-drover-not-modelled`. Rules 22–28 of [ASSUMPTIONS.md](../docs/ASSUMPTIONS.md) are modelled and shown by `cloud/elasticsearch/test`.',
    '',
    ...table('API', searchApis, asked),
  ].join('\n');
}

/** Runs the named test files, or takes the last whole run; undefined where neither can be taken over. */
function recorded(files: readonly string[]): Asked | undefined {
  if (files.length === 0)
    return existsSync(wholeRecord) ? mergeAsked({}, recordedFiles()) : refuse('no whole npm test is recorded here');
  const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...files], {
    stdio: 'inherit',
  });
  if (status !== 0) return refuse('a test has failed');
  const ran = recordedFiles().filter(({ file }) => files.some((part) => file.includes(part)));
  return mergeAsked(committedAsked(), ran);
}

function refuse(reason: string): undefined {
  console.error(`${askedFile} stays as it was: ${reason}; ${recordCommand} records from test files alone`);
  process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [flag, ...files] = process.argv.slice(2);
  const asked = flag === '--record' ? recorded(files) : undefined;
  if (asked !== undefined) writeAsked(asked);
  writeFileSync(coverageFile, wrapMarkdown(renderCoverage()));
}
