import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { friendly } from './friendly.ts';
import { archiveOf, filesBelow } from './languages.ts';
import { wheelOf } from './wheel.ts';

const face = 'export enum ScalingMode {\n  IDLE = 1,\n}\nexport enum NodeKind {\n}\n';

describe('declarations of the released constructs', () => {
  it.each([
    [
      'a text beside an enum',
      '    readonly mode?: ScalingMode;',
      `    readonly mode?: ScalingMode | \`\${ScalingMode}\` | undefined;`,
    ],
    [
      'a text beside an enum as a parameter',
      '  hosts(kind: NodeKind, o?: Options): Metric;',
      `  hosts(kind: NodeKind | \`\${NodeKind}\`, o?: Options): Metric;`,
    ],
    ['a list that may be readonly', '    readonly names: string[];', '    readonly names: readonly string[];'],
    [
      'a readonly list that may be left out',
      '    readonly names?: string[];',
      '    readonly names?: readonly string[] | undefined;',
    ],
    ['undefined for what may be left out', '    readonly name?: string;', '    readonly name?: string | undefined;'],
  ])('accept %s', (_, compiled, adapted) => {
    expect(friendly(compiled, face)).toBe(adapted);
  });
});

/** A folder as jsii-pacmak writes it. */
function pythonCode(): string {
  const folder = mkdtempSync(join(tmpdir(), 'drover-wheel-'));
  const setup = {
    name: 'drover-constructs',
    version: '1.2.3',
    description: 'constructs',
    license: 'Apache-2.0',
    python_requires: '>=3.10',
    install_requires: ['aws-cdk-lib>=2.200.0, <3.0.0'],
    classifiers: ['Typing :: Typed'],
  };
  mkdirSync(join(folder, 'src/drover_constructs'), { recursive: true });
  writeFileSync(join(folder, 'setup.py'), `kwargs = json.loads(\n    """\n${JSON.stringify(setup)}\n"""\n)\n`);
  writeFileSync(join(folder, 'src/drover_constructs/__init__.py'), 'import jsii\n');
  for (const name of ['README.md', 'LICENSE']) writeFileSync(join(folder, name), name);
  return folder;
}

describe('the wheel', () => {
  it('the wheel has the code, what it needs, and a record with the digest of each file', () => {
    const { name, files } = wheelOf(pythonCode());
    const text = (path: string) => new TextDecoder().decode(files[path]);
    expect(name).toBe('drover_constructs-1.2.3-py3-none-any.whl');
    expect(text('drover_constructs-1.2.3.dist-info/METADATA')).toContain('Requires-Dist: aws-cdk-lib>=2.200.0, <3.0.0');
    const recorded = text('drover_constructs-1.2.3.dist-info/RECORD').trim().split('\n');
    expect(recorded.map((row) => row.split(',')[0]).sort()).toEqual(Object.keys(files).sort());
  });

  it('the wheel is the same bytes whenever it is written', () => {
    const [first, second] = [wheelOf(pythonCode()), wheelOf(pythonCode())].map(({ files }) => archiveOf(files));
    expect(Buffer.compare(first!, second!)).toBe(0);
    expect(Object.keys(unzipSync(first!))).toContain('drover_constructs/__init__.py');
  });

  it('classes of Java do not say when they were generated', () => {
    const folder = mkdtempSync(join(tmpdir(), 'drover-java-'));
    writeFileSync(join(folder, 'A.java'), '@Generated(value = "jsii-pacmak", date = "2026-01-01T00:00:00Z")');
    expect(String(filesBelow(folder)['A.java'])).toBe('@Generated(value = "jsii-pacmak")');
  });
});
