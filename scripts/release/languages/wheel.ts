/** A wheel (PEP 427) of the Python code that jsii-pacmak wrote. Its setup.py needs Python and setuptools of the day, and dates the files. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Files, filesBelow } from './languages.ts';

/** The arguments of `setuptools.setup` in what jsii-pacmak writes. */
interface Setup {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly python_requires: string;
  readonly install_requires: readonly string[];
  readonly classifiers: readonly string[];
}

/** The name and the files of the wheel of a folder with a `setup.py`. */
export function wheelOf(folder: string): { readonly name: string; readonly files: Files } {
  const [, json = '{}'] = /json\.loads\(\s*"""(.*?)"""/s.exec(readFileSync(join(folder, 'setup.py'), 'utf8')) ?? [];
  const setup = JSON.parse(json.replaceAll('\\\\', '\\')) as Setup;
  const stem = `${setup.name.replaceAll('-', '_')}-${setup.version}`;
  const info = `${stem}.dist-info`;
  const text = (content: string) => new TextEncoder().encode(content);
  const files: Files = {
    ...filesBelow(join(folder, 'src')),
    [`${info}/METADATA`]: text(metadata(setup, readFileSync(join(folder, 'README.md'), 'utf8'))),
    [`${info}/WHEEL`]: text('Wheel-Version: 1.0\nGenerator: drover\nRoot-Is-Purelib: true\nTag: py3-none-any\n'),
    [`${info}/licenses/LICENSE`]: readFileSync(join(folder, 'LICENSE')),
  };
  const record = Object.entries(files).map(([path, bytes]) => `${path},sha256=${digest(bytes)},${bytes.length}\n`);
  return {
    name: `${stem}-py3-none-any.whl`,
    files: { ...files, [`${info}/RECORD`]: text(`${record.sort().join('')}${info}/RECORD,,\n`) },
  };
}

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('base64url');

const metadata = (setup: Setup, readme: string) =>
  [
    'Metadata-Version: 2.1',
    `Name: ${setup.name}`,
    `Version: ${setup.version}`,
    `Summary: ${setup.description}`,
    `License: ${setup.license}`,
    ...setup.classifiers.map((classifier) => `Classifier: ${classifier}`),
    `Requires-Python: ${setup.python_requires}`,
    ...setup.install_requires.map((requirement) => `Requires-Dist: ${requirement}`),
    'Description-Content-Type: text/markdown',
    '',
    readme,
  ].join('\n');
