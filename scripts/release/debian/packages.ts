/** `cluster-cli` and `runner-agent` with the Node that they run on, for hosts that no stack has set up. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { debianVersion } from '@drover/core/names/version';
import { noticesFile } from '../../build/notices.ts';
import { root, version } from '../../build/version.ts';
import { type Entry, filesBelow, writeDebianPackage } from './archive.ts';
import { manualPages } from './manual-page.ts';

const home = 'usr/lib/drover';

type Architecture = 'amd64' | 'arm64';

const bootFile = (name: string) => readFileSync(join(root, 'packages/constructs/src/boot', name));

const { version: nodeVersion } = JSON.parse(String(bootFile('node-runtime.json'))) as { readonly version: string };

/** Writes the packages into a folder and returns their paths. */
export function writeDebs(outdir: string, architectures: readonly Architecture[]): readonly string[] {
  const common = { version: debianVersion(version), modified: commitTime() };
  const nodePackage = `${nodeVersion}+drover${common.version}`;
  const program = (name: string, summary: string, description: string) =>
    writeDebianPackage(outdir, {
      ...common,
      name,
      architecture: 'all',
      depends: `drover-node (>= ${nodePackage})`,
      summary,
      description,
      entries: [
        ...filesBelow(join(root, `apps/${name}/dist`), `${home}/${name}`),
        { path: `${home}/bin/${name}`, content: bootFile(`bin/${name}`), executable: true },
        { path: `usr/bin/${name}`, link: `../lib/drover/bin/${name}` },
        { path: `usr/share/man/man1/${name}.1.gz`, content: gzipSync(manualPages[name]!(), { level: 9 }) },
        copyright(name, ownCopyright(name)),
      ],
    });
  return [
    program(
      'cluster-cli',
      'management command of a search cluster',
      'Health, draining, restarts, snapshots and passwords of an Elasticsearch\n cluster on AWS.',
    ),
    program(
      'runner-agent',
      'agent of a self-hosted GitHub Actions runner',
      'Watches the runner software of a host and drains it before the\n instance is terminated.',
    ),
    ...architectures.map((architecture) => {
      const { node, licence } = nodeOf(architecture);
      return writeDebianPackage(outdir, {
        ...common,
        name: 'drover-node',
        version: nodePackage,
        architecture,
        depends: 'libc6 (>= 2.28), libstdc++6 (>= 8)',
        summary: 'Node that cluster-cli and runner-agent run on',
        description: 'The program of Node.js alone, unchanged, where no other program looks for it.',
        entries: [
          { path: `${home}/node/bin/node`, content: node, executable: true },
          copyright('drover-node', licence),
        ],
      });
    }),
  ];
}

const copyright = (name: string, content: Buffer): Entry => ({ path: `usr/share/doc/${name}/copyright`, content });

/** Debian's machine-readable form (copyright-format 1.0). */
const ownCopyright = (name: string) =>
  Buffer.from(`Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: drover
Comment: The bundles contain code of other packages. Their licences are in
 /${home}/${name}/${noticesFile}

Files: *
Copyright: 2026 The Drover authors
License: Apache-2.0
 On Debian systems the full text of the Apache License, Version 2.0, is in
 /usr/share/common-licenses/Apache-2.0
`);

/** The pinned one with its licence, from the configured npm registry unless it was fetched before. */
function nodeOf(architecture: Architecture): { readonly node: Buffer; readonly licence: Buffer } {
  const script = join(root, 'packages/constructs/src/boot/fetch-node.mjs');
  const name = architecture === 'amd64' ? 'x86_64' : 'arm64';
  const archive = execFileSync(process.execPath, [script, name], { encoding: 'utf8' }).trim();
  const file = (path: string) => execFileSync('tar', ['-xzOf', archive, path], { maxBuffer: 1024 ** 3 });
  return { node: file('package/bin/node'), licence: file('package/LICENSE') };
}

/** Files have the time of the commit, so that the same commit gives the same bytes. */
export const commitTime = () =>
  Number(
    process.env.SOURCE_DATE_EPOCH ??
      execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' }),
  );
