/** Writes cloud/COVERAGE.md from what the embedded cloud itself says it models. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AwsService } from '@drover/cloud-aws';
import { routes } from '@drover/cloud-elasticsearch';
import { World } from '@drover/cloud-world';

/** Where the list lives. */
export const coverageFile = fileURLToPath(new URL('../cloud/COVERAGE.md', import.meta.url));

const sorted = (names: Iterable<string>): string[] => [...names].sort((a, b) => (a < b ? -1 : 1));
const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');

/** The whole document. */
export function renderCoverage(): string {
  const services = Object.entries(new World().aws.services);
  return [
    '# What the embedded cloud models',
    '',
    'Written by `npx tsx scripts/coverage.ts` from the registries of the services; do not edit it by hand.',
    'Every other operation returns `NotImplemented` (HTTP 501), which names it.',
    '',
    '## Operations',
    '',
    '| service | operations |',
    '|---|---|',
    ...services.map(operationsRow),
    '',
    '## CloudFormation resource types with behaviour',
    '',
    ...resourceTypes(services, false),
    '',
    '## Accepted, no behaviour',
    '',
    'These get ids and attributes of the right shape, and nothing else happens:',
    '',
    ...resourceTypes(services, true),
    '',
    "So does every type of a service that is not modelled here, if AWS's public resource specification knows it: its properties are",
    'checked (unknown, missing, wrong type) and an id and attributes are made up from the specification. Any other type is refused by',
    'its name. `AWS::CDK::Metadata` is accepted and ignored. `AWS::CloudFormation::Stack`, `AWS::CloudFormation::Macro`,',
    'transforms and the `CreationPolicy` attribute are refused by name.',
    'Stacks act with full rights: the permissions of whoever deploys are asked for the CloudFormation call itself, not for the',
    'calls that CloudFormation would make on their behalf.',
    '',
    '## Search cluster',
    '',
    'APIs of Elasticsearch by their names in its API description. Anything else answers as Elasticsearch answers a path, method or',
    'parameter that it does not know. Rules 22–28 of `docs/ASSUMPTIONS.md` are modelled and shown by `test/search-*.test.ts`.',
    '',
    '| namespace | APIs |',
    '|---|---|',
    ...searchRows(),
    '',
  ].join('\n');
}

function operationsRow([id, { operations }]: [string, AwsService]): string {
  const names = sorted(Object.keys(operations));
  return `| ${id} (${names.length}) | ${names.join(', ') || 'none'} |`;
}

/** APIs without a namespace of their own are those of documents and searches. */
function searchRows(): string[] {
  const apis = sorted(new Set(routes.map(({ api }) => api).filter((api) => api !== 'favicon')));
  const namespaceOf = (api: string) => (api.includes('.') ? api.split('.')[0]! : 'documents and searches');
  return sorted(new Set(apis.map(namespaceOf))).map((namespace) => {
    const own = apis.filter((api) => namespaceOf(api) === namespace).map((api) => api.split('.').at(-1)!);
    return `| ${namespace} (${own.length}) | ${own.join(', ')} |`;
  });
}

function resourceTypes(services: readonly [string, AwsService][], shapeOnly: boolean): string[] {
  const types = services.flatMap(([, { resources }]) =>
    Object.entries(resources)
      .filter(([, provider]) => (provider.shapeOnly ?? false) === shapeOnly)
      .map(([type]) => type),
  );
  const owners = sorted(new Set(types.map((type) => type.split('::')[1]!)));
  return owners.map((owner) => `- ${code(sorted(types.filter((type) => type.split('::')[1] === owner)))}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(coverageFile, renderCoverage());
