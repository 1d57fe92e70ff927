/** Writes the limits of the modelled AWS operations from the service models of the botocore that `botocore.txt` pins. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { limitTable } from '../../cloud/aws/test/limits/limit-table.ts';

const file = 'cloud/aws/src/account/limits.json';
const pins = 'scripts/generate/botocore.txt';

/** Returns the file that it wrote. */
export function writeAwsLimits(): string {
  const [, version] = /^botocore==([\d.]+)$/m.exec(readFileSync(pins, 'utf8')) ?? [];
  if (version === undefined) throw new Error(`${pins} must pin a version: botocore==x.y.z`);
  const table = { botocore: version, ...limitTable(installedData(version)) };
  writeFileSync(file, `${JSON.stringify(table, null, 2)}\n`);
  return file;
}

/** The folder of the service models, from PyPI into an environment of its own. */
function installedData(version: string): string {
  const environment = `.cache/botocore-${version}`;
  const python = `${environment}/bin/python`;
  const where = 'import botocore, os; print(os.path.join(os.path.dirname(botocore.__file__), "data"))';
  if (!existsSync(python)) {
    try {
      execFileSync('python3', ['-m', 'venv', environment]);
      execFileSync(python, ['-m', 'pip', 'install', '-q', '-r', pins], { stdio: 'inherit' });
    } catch (cause) {
      rmSync(environment, { recursive: true, force: true });
      throw new Error(`botocore ${version} cannot be installed: python3 with venv and a package index are needed`, {
        cause,
      });
    }
  }
  return execFileSync(python, ['-c', where], { encoding: 'utf8' }).trim();
}
