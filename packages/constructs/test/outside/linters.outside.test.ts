import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalStack } from '../../../../examples/local/local-stack.ts';
import { example as fleetExample, synthesiseFleet } from '../synth.test-support.ts';

/** Made by `.ci/run` with the versions of linters.txt; by hand: `python3 -m venv FOLDER && FOLDER/bin/pip install -r linters.txt`. */
const folder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'drover/linters');
const missing = !['cfn-lint', 'checkov'].every((name) => existsSync(join(folder, 'bin', name)));
const reason = missing ? '(skipped: cfn-lint and checkov are not installed, see linters.txt)' : '';

interface Finding {
  readonly rule: string;
  readonly resource: string;
}

/** Rule → pattern of logical ids → why the finding stays. */
type Reasons = Readonly<Record<string, Readonly<Record<string, string>>>>;

const reasons = JSON.parse(
  readFileSync(fileURLToPath(new URL('linter-reasons.json', import.meta.url)), 'utf8'),
) as Readonly<Record<'cfn-lint' | 'checkov', Reasons>>;

const everyInput = {
  extraSecurityGroupIds: ['sg-0a1b2c3d4e5f60718'],
  httpsProxy: 'http://proxy.example.com:3128',
  permissionsBoundaryArn: 'arn:aws:iam::123456789012:policy/boundary',
  kmsKeyArn: 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab',
  onDemandBaseCapacity: 2,
  alarmEmails: ['ops@example.com'],
} as const;

describe.skipIf(missing)(`linters of templates that others wrote ${reason}`, () => {
  const templates = mkdtempSync(join(tmpdir(), 'drover-linters-'));
  beforeAll(() => {
    const put = (name: string, text: string) => writeFileSync(join(templates, `${name}.json`), text);
    for (const name of ['runner-fleet', 'search-cluster'])
      put(name, readFileSync(join(fleetExample, '..', name, 'template.snap.json'), 'utf8'));
    const app = new App();
    new LocalStack(app);
    put('local', JSON.stringify(app.synth().getStackByName('drover-local').template));
    put('fleet-with-inputs', JSON.stringify(synthesiseFleet(everyInput)));
  });
  afterAll(() => rmSync(templates, { recursive: true }));

  const run = (program: string, args: readonly string[]) => {
    const { stdout, stderr } = spawnSync(join(folder, 'bin', program), args, {
      encoding: 'utf8',
      maxBuffer: 256 * 1024 * 1024,
    });
    return JSON.parse(stdout.slice(Math.max(0, stdout.search(/[[{]/))) || `"${stderr}"`) as unknown;
  };

  /** Findings without a reason, and reasons without a finding. */
  const unexplained = (findings: readonly Finding[], known: Reasons) => {
    const explains = ({ rule, resource }: Finding, id: string, pattern: string) =>
      id === rule && new RegExp(pattern).test(resource);
    const given = Object.entries(known).flatMap(([id, patterns]) =>
      Object.keys(patterns).map((one) => [id, one] as const),
    );
    return {
      findings: findings.filter((finding) => !given.some(([id, pattern]) => explains(finding, id, pattern))),
      stale: given.filter(([id, pattern]) => !findings.some((finding) => explains(finding, id, pattern))),
    };
  };

  it('cfn-lint has no finding without a written reason on any template', () => {
    const found = run('cfn-lint', ['--format', 'json', join(templates, '*.json')]) as readonly {
      readonly Rule: { readonly Id: string };
      readonly Location: { readonly Path: readonly (string | number)[] };
    }[];
    const findings = found.map(({ Rule, Location }) => ({ rule: Rule.Id, resource: Location.Path.join('/') }));

    expect(unexplained(findings, reasons['cfn-lint'])).toEqual({ findings: [], stale: [] });
  });

  it('checkov has no finding without a written reason on any template', () => {
    const offline = ['--skip-download', '--compact', '--quiet'];
    const { results, summary } = run('checkov', [
      '--framework',
      'cloudformation',
      '-d',
      templates,
      '-o',
      'json',
      ...offline,
    ]) as {
      readonly results: { readonly failed_checks: readonly { readonly check_id: string; readonly resource: string }[] };
      readonly summary: { readonly passed: number; readonly parsing_errors: number };
    };
    const findings = results.failed_checks.map(({ check_id: rule, resource }) => ({ rule, resource }));

    expect(summary.passed).toBeGreaterThan(200);
    expect(summary.parsing_errors).toBe(0);
    expect(unexplained(findings, reasons.checkov)).toEqual({ findings: [], stale: [] });
  });
});
