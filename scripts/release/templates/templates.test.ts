import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { afterAll, describe, expect, it } from 'vitest';
import { templates } from '../cloudformation.ts';
import { moduleFiles } from '../terraform/module.ts';

interface Synthesised {
  readonly Parameters: Readonly<Record<string, { readonly Description?: string }>>;
  readonly Metadata: { readonly 'AWS::CloudFormation::Interface': Interface };
  readonly Resources: Readonly<
    Record<string, { readonly Type: string; readonly Properties?: Record<string, unknown> }>
  >;
}

interface Interface {
  readonly ParameterGroups: readonly { readonly Parameters: readonly string[] }[];
  readonly ParameterLabels: Readonly<Record<string, { readonly default: string }>>;
}

const outdir = mkdtempSync(join(tmpdir(), 'drover-released-'));
afterAll(() => rmSync(outdir, { recursive: true }));

/** Without their assets, which a release fetches. */
const app = new App({ outdir, analyticsReporting: false });
for (const [name, build] of Object.entries(templates)) build(new Stack(app, name));
app.synth();
const read = (name: string) => JSON.parse(readFileSync(join(outdir, `${name}.template.json`), 'utf8')) as Synthesised;

/** Bootstrap's own; the templates of a release have none. */
const ownParameters = (name: string) => Object.keys(read(name).Parameters).filter((id) => id !== 'BootstrapVersion');

/** Names that are unique in an account and region. */
const names = [
  ...['AlarmName', 'AutoScalingGroupName', 'BucketName', 'ClusterName', 'DashboardName', 'FunctionName', 'GroupName'],
  ...['InstanceProfileName', 'KeyAlias', 'LaunchTemplateName', 'LogGroupName', 'RoleName', 'ServiceName', 'TopicName'],
];

describe.each(Object.keys(templates))('the released template %s', (name) => {
  it('no resource has a name that a second stack of it would have too', () => {
    const fixed = Object.entries(read(name).Resources).flatMap(([id, { Properties = {} }]) =>
      names.filter((key) => typeof Properties[key] === 'string').map((key) => `${id}.${key}`),
    );
    const records = Object.values(read(name).Resources).filter(({ Type }) => Type === 'AWS::Route53::RecordSet');
    expect(fixed).toEqual([]);
    expect(records.filter(({ Properties }) => typeof Properties?.Name === 'string')).toEqual([]);
  });

  it('the console shows every parameter once, in a group, with a label and a description', () => {
    const { Metadata, Parameters } = read(name);
    const { ParameterGroups, ParameterLabels } = Metadata['AWS::CloudFormation::Interface'];
    const shown = ParameterGroups.flatMap((group) => group.Parameters).filter((id) => id !== 'AssetBucket');
    expect(shown.toSorted()).toEqual(ownParameters(name).toSorted());
    expect(shown.filter((id) => !ParameterLabels[id]?.default || !Parameters[id]?.Description)).toEqual([]);
  });

  it('a module for Terraform has a variable for each of its parameters', () => {
    const { 'variables.tf': variables = '' } = moduleFiles(outdir, name, [name]);
    const declared = [...variables.matchAll(/^variable "(\w+)"/gm)].map(([, one]) => one);
    const expected = ownParameters(name).map((id) => id.replace(/(?!^)([A-Z])/g, '_$1').toLowerCase());
    expect(declared).toEqual(expect.arrayContaining(expected));
  });
});

it('the templates for arm64 have instance types, image and Node of that architecture', () => {
  for (const [name, type] of [
    ['runner-fleet', 't4g.medium'],
    ['search-cluster', 't4g.medium'],
  ] as const) {
    const [x86, arm] = [name, `${name}-arm64`].map((one) => JSON.stringify(read(one)));
    expect(arm).toContain(type);
    expect(arm).toContain('/arm64/hvm/');
    expect(arm).not.toContain('/amd64/');
    expect(x86).toContain('/amd64/hvm/');
  }
});
