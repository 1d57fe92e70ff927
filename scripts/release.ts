/** `npm run release`: writes release/<version>/ with packages for npm and Debian, templates, checksums, bill of materials and notes. */
import { version } from './release/packages.ts';
import { writeRelease } from './release/release.ts';

const outdir = `release/${version}`;
await writeRelease(outdir);
console.log(`${outdir}: sha256sum --check SHA256SUMS verifies it`);
