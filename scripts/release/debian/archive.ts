/** Debian packages without Debian's tools: an `ar` archive of two compressed tar archives (deb(5)), the same bytes every time. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { tarHeader } from '../../../packages/constructs/src/boot/pack.ts';

/** An entry of a package: a file with its content, or a link with its target. Paths are without the first slash. */
export interface Entry {
  readonly path: string;
  readonly content?: Uint8Array;
  readonly executable?: boolean;
  readonly link?: string;
}

export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly architecture: 'all' | 'amd64' | 'arm64';
  readonly depends?: string;
  /** One line; `description` says more. */
  readonly summary: string;
  readonly description: string;
  /** Time of all files, in seconds since 1970. */
  readonly modified: number;
  readonly entries: readonly Entry[];
}

const blockBytes = 512;
const owner = 'root';

/** Writes `<name>_<version>_<architecture>.deb` and returns its path. */
export function writeDebianPackage(outdir: string, deb: DebianPackage): string {
  const entries = [...deb.entries, changelog(deb)].sort((a, b) => (a.path < b.path ? -1 : 1));
  const sums = entries.flatMap(({ path, content }) =>
    content === undefined ? [] : [`${createHash('md5').update(content).digest('hex')}  ${path}\n`],
  );
  const members = {
    'debian-binary': Buffer.from('2.0\n'),
    'control.tar.gz': archive(
      [
        { path: 'control', content: Buffer.from(control(deb)) },
        { path: 'md5sums', content: Buffer.from(sums.join('')) },
      ],
      deb.modified,
    ),
    'data.tar.gz': archive(entries, deb.modified),
  };
  const parts = Object.entries(members).flatMap(([name, content]) => [
    Buffer.from(
      `${name.padEnd(16)}${'0'.padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'100644'.padEnd(8)}${String(content.length).padEnd(10)}\`\n`,
    ),
    content,
    Buffer.from(content.length % 2 === 0 ? '' : '\n'),
  ]);
  mkdirSync(outdir, { recursive: true });
  const file = join(outdir, `${deb.name}_${deb.version}_${deb.architecture}.deb`);
  writeFileSync(file, Buffer.concat([Buffer.from('!<arch>\n'), ...parts]));
  return file;
}

/** The fields of a package that `writeDebianPackage` wrote: the first file of its second member. */
export function controlOf(deb: Buffer): string {
  const [memberHeader, member] = [72, 132];
  const size = Number(deb.toString('latin1', memberHeader + 48, memberHeader + 58));
  const tar = gunzipSync(deb.subarray(member, member + size));
  const [header, content] = [blockBytes, 2 * blockBytes];
  return tar.toString(
    'utf8',
    content,
    content + Number.parseInt(tar.toString('latin1', header + 124, header + 135), 8),
  );
}

const maintainer = 'The Drover authors <drover@example.com>';

function control({ name, version, architecture, depends, summary, description, entries }: DebianPackage): string {
  const bytes = entries.reduce((sum, { content }) => sum + (content?.length ?? 0), 0);
  const fields = {
    Package: name,
    Version: version,
    Architecture: architecture,
    Maintainer: maintainer,
    'Installed-Size': String(Math.ceil(bytes / 1024)),
    ...(depends === undefined ? {} : { Depends: depends }),
    Section: 'admin',
    Priority: 'optional',
    Description: `${summary}\n ${description}`,
  };
  return Object.entries(fields)
    .map(([key, value]) => `${key}: ${value}\n`)
    .join('');
}

/** Debian's own changelog names the version; what changed in it is in Drover's release notes. */
function changelog({ name, version, modified }: DebianPackage): Entry {
  const date = new Date(modified * 1000).toUTCString().replace('GMT', '+0000');
  const text = `${name} (${version}) stable; urgency=medium\n\n  * Release of Drover.\n\n -- ${maintainer}  ${date}\n`;
  return { path: `usr/share/doc/${name}/changelog.gz`, content: gzipSync(text, { level: 9 }) };
}

/** dpkg makes no folder that is not in the archive. */
function archive(entries: readonly Entry[], modified: number): Buffer {
  const folders = new Set(['./']);
  for (const { path } of entries)
    path
      .split('/')
      .slice(0, -1)
      .reduce((parent, name) => {
        folders.add(`${parent}${name}/`);
        return `${parent}${name}/`;
      }, './');
  const blocks = [
    ...[...folders].map((name) => tarHeader(name, 0, 0o755, { owner, modified, type: '5' })),
    ...entries.flatMap(({ path, content, executable, link }) => {
      if (link !== undefined) return [tarHeader(`./${path}`, 0, 0o777, { owner, modified, type: '2', link })];
      const padding = Buffer.alloc((blockBytes - (content!.length % blockBytes)) % blockBytes);
      return [
        tarHeader(`./${path}`, content!.length, executable ? 0o755 : 0o644, { owner, modified }),
        Buffer.from(content!),
        padding,
      ];
    }),
    Buffer.alloc(2 * blockBytes),
  ];
  return gzipSync(Buffer.concat(blocks), { level: 6 });
}

/** The files of a folder, below `to`. */
export const filesBelow = (folder: string, to: string): Entry[] =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return filesBelow(path, `${to}/${name}`);
    return [{ path: `${to}/${name}`, content: readFileSync(path), executable: (statSync(path).mode & 0o100) !== 0 }];
  });
