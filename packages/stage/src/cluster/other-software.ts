import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The differences of the software of a cluster's stack. */
export interface OtherSoftware {
  readonly version: string;
  /** The archive of the programs is not what the pointer says. */
  readonly damaged?: boolean;
}

interface Resource {
  readonly Type: string;
  readonly Properties: { Version: string; Archives: { Sha256: string }[] };
}

/** A copy of an assembly whose cluster has other software, as another release of ours would have, and nothing else. */
export function otherSoftware(assembly: string, { version, damaged = false }: OtherSoftware): string {
  const folder = mkdtempSync(join(tmpdir(), 'drover-software-'));
  cpSync(assembly, folder, { recursive: true });
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.template.json'))) {
    const template = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { Resources: Record<string, Resource> };
    const resources = Object.values(template.Resources).filter(({ Type }) => Type === 'Custom::Software');
    for (const { Properties } of resources) {
      Properties.Version = version;
      if (damaged) Properties.Archives[0]!.Sha256 = '0'.repeat(64);
    }
    writeFileSync(join(folder, name), JSON.stringify(template));
  }
  return folder;
}
