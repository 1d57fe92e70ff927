import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, version } from '../build/version.ts';

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

type Lock = Readonly<Record<string, Locked>>;

/**
 * The packages of npm that are bundled or installed with Drover, and the Node that is shipped for instances, as CycloneDX 1.6; those for
 * its development are not in it.
 */
export function billOfMaterials(lockFile: string): string {
  const { packages } = JSON.parse(lockFile) as { readonly packages: Lock };
  const shipped = Object.entries(packages).filter(
    ([path, { dev = false, link = false }]) => path.includes('node_modules/') && !dev && !link,
  );
  const components = new Map([...shipped.map(([path, locked]) => component(nameOf(path), locked)), ...shippedNode()]);
  const refs = new Map(shipped.map(([path, locked]) => [path, purlOf(nameOf(path), locked.version)]));
  const own = Object.keys(packages).filter((path) => !path.includes('node_modules/'));
  // Two places may have the same version, each with another version beside it.
  const needs = new Map<string, Set<string>>([[self, new Set(shippedNode().map(([purl]) => purl))]]);
  for (const [path, ref] of [...own.map((path) => [path, self] as const), ...refs])
    needs.set(ref, new Set([...(needs.get(ref) ?? []), ...neededBy(packages, path, refs)]));
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: { type: 'application', 'bom-ref': self, name: 'drover', version, licenses: licences('Apache-2.0') },
    },
    components: [...components].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value),
    dependencies: [...needs]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([ref, dependsOn]) => ({ ref, dependsOn: [...dependsOn].sort() })),
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

const nameOf = (path: string) => path.split('node_modules/').at(-1)!;
const purlOf = (name: string, version = '') => `pkg:npm/${name.replace('@', '%40')}@${version}`;
const self = purlOf('drover', version);

/** The packages that one of the lock file needs, found as Node finds them: beside it, or beside a folder that it lies in. */
function neededBy(packages: Lock, path: string, refs: ReadonlyMap<string, string>): string[] {
  const { dependencies, optionalDependencies, peerDependencies } = packages[path]!;
  const names = Object.keys({ ...peerDependencies, ...optionalDependencies, ...dependencies });
  return names.flatMap((name) => {
    for (let folder = path; ; folder = folder.replace(/(^|\/)node_modules\/(?:(?!node_modules\/).)*$/, '')) {
      const ref = refs.get(`${folder === '' ? '' : `${folder}/`}node_modules/${name}`);
      if (ref !== undefined) return [ref];
      if (!folder.includes('node_modules/')) return [refs.get(`node_modules/${name}`) ?? []].flat();
    }
  });
}

function component(name: string, { version = '', integrity = '', license }: Locked): readonly [string, object] {
  const purl = purlOf(name, version);
  const [algorithm, digest = ''] = integrity.split('-');
  const hashes =
    algorithm === 'sha512' ? [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] : [];
  return [
    purl,
    {
      type: 'library',
      'bom-ref': purl,
      name,
      version,
      purl,
      hashes,
      ...(license ? { licenses: licences(license) } : {}),
    },
  ];
}

/** Node for each architecture, as the packages of npm that it is taken from. */
function shippedNode(): (readonly [string, object])[] {
  const file = readFileSync(join(root, 'packages/constructs/src/boot/node-runtime.json'), 'utf8');
  const { version, archives } = JSON.parse(file) as {
    readonly version: string;
    readonly archives: Readonly<Record<string, { readonly package: string; readonly integrity: string }>>;
  };
  return Object.values(archives).map(({ package: name, integrity }) =>
    component(name, { version, integrity, license: 'MIT' }),
  );
}

/** One licence by its id, several as an expression. */
const licences = (text: string) => (/[ ()]/.test(text) ? [{ expression: text }] : [{ license: { id: text } }]);
