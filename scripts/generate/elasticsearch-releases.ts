/**
 * Writes which versions of Elasticsearch were released, and when each was built, from the artefact `org.elasticsearch:elasticsearch` in the
 * repository that Maven uses here (`MAVEN_REPOSITORY` names another one). The date stands in the artefact itself, so that every mirror
 * gives the same file.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { constants, inflateRawSync } from 'node:zlib';

const file = new URL('../../packages/search-cluster/src/decide/upgrade/releases.json', import.meta.url);
const oldest = [7, 17] as const;
/** The manifest is among the first entries of a jar. */
const headBytes = 16_384;
const atOnce = 8;

const base = process.env.MAVEN_REPOSITORY ?? repositoryOfMaven();
const folder = `${base.replace(/\/$/, '')}/org/elasticsearch/elasticsearch`;
const metadata = (await fetchBytes(`${folder}/maven-metadata.xml`)).toString();
const versions = [...metadata.matchAll(/<version>(\d+\.\d+\.\d+)<\/version>/g)]
  .map(([, version]) => version!)
  .filter(isWanted);
const releases: [string, string][] = [];
for (let at = 0; at < versions.length; at += atOnce)
  releases.push(
    ...(await Promise.all(
      versions
        .slice(at, at + atOnce)
        .map(async (version): Promise<[string, string]> => [version, await builtAt(version)]),
    )),
  );
releases.sort(([a], [b]) => order(a) - order(b));
const [, year, month, day] = /<lastUpdated>(\d{4})(\d\d)(\d\d)/.exec(metadata)!;
writeFileSync(
  file,
  `${JSON.stringify({ asOf: `${year}-${month}-${day}`, releases: Object.fromEntries(releases) }, null, 2)}\n`,
);

function isWanted(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
}

function order(version: string): number {
  return version.split('.').reduce((sum, part) => sum * 1000 + Number(part), 0);
}

async function builtAt(version: string): Promise<string> {
  const head = await fetchBytes(`${folder}/${version}/elasticsearch-${version}.jar`, headBytes);
  const found = /^Build-Date(?:-UTC)?: (\S+)/m.exec(manifestIn(head))?.[1];
  if (found === undefined) throw new Error(`the manifest of ${version} has no Build-Date`);
  return `${new Date(found).toISOString().slice(0, 16)}Z`;
}

/** The first entry named so: a local header of 30 bytes, name and extra field, then its content (APPNOTE.TXT of the zip format, 4.3.7). */
function manifestIn(jar: Buffer): string {
  const at = jar.indexOf('META-INF/MANIFEST.MF') - 30;
  if (at < 0 || jar.readUInt32LE(at) !== 0x04034b50)
    throw new Error('there is no manifest at the beginning of the jar');
  const from = at + 30 + jar.readUInt16LE(at + 26) + jar.readUInt16LE(at + 28);
  const content = jar.subarray(from);
  return jar.readUInt16LE(at + 8) === 0
    ? content.subarray(0, jar.readUInt32LE(at + 18)).toString()
    : inflateRawSync(content, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
}

async function fetchBytes(url: string, first?: number): Promise<Buffer> {
  const headers: Record<string, string> = first === undefined ? {} : { range: `bytes=0-${first - 1}` };
  const response = await fetch(url, { headers });
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

/** A mirror of everything or of Maven's own repository, otherwise that one. */
function repositoryOfMaven(): string {
  const evaluate = (expression: string) =>
    execFileSync('mvn', ['-B', '-q', 'help:evaluate', `-Dexpression=${expression}`, '-DforceStdout'], {
      encoding: 'utf8',
    }).replaceAll('\u001b[0m', '');
  const mirrors = evaluate('settings.mirrors').split('</org.apache.maven.settings.Mirror>');
  const mirror = mirrors.find((text) => /<mirrorOf>(?:[^<]*,)?(?:\*|external:\*|central)[,<]/.test(text));
  return /<url>([^<]+)/.exec(mirror ?? '')?.[1] ?? evaluate('project.repositories[0].url').trim();
}
