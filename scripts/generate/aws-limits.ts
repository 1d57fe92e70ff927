/** Writes the limits of the modelled AWS operations, from botocore's service models: `tsx scripts/generate/aws-limits.ts <folder botocore/data>`. */
import { writeFileSync } from 'node:fs';
import { limitTable } from '../../cloud/aws/test/limits/limit-table.ts';

const file = new URL('../../cloud/aws/src/account/limits.json', import.meta.url);
writeFileSync(file, `${JSON.stringify(limitTable(process.argv[2]!), null, 2)}\n`);
