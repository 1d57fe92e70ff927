import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, version } from './packages.ts';

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
}

/**
 * The packages of npm that are bundled or installed with Drover, and the Node that is shipped for instances, as CycloneDX 1.6; those for
 * its development are not in it.
 */
export function billOfMaterials(lockFile: string): string {
  const { packages } = JSON.parse(lockFile) as { readonly packages: Readonly<Record<string, Locked>> };
  const found = Object.entries(packages).filter(
    ([path, { dev = false, link = false }]) => path.includes('node_modules/') && !dev && !link,
  );
  const components = new Map([
    ...found.map(([path, locked]) => component(path.split('node_modules/').at(-1)!, locked)),
    ...shippedNode(),
  ]);
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', name: 'drover', version, licenses: licences('Apache-2.0') } },
    components: [...components].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value),
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function component(name: string, { version = '', integrity = '', license }: Locked): readonly [string, object] {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
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
