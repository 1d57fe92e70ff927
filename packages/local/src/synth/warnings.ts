import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DroverIo } from '@drover/operator/io';

type Metadata = Readonly<Record<string, readonly { readonly type: string; readonly data?: unknown }[]>>;

interface Manifest {
  readonly artifacts?: Readonly<
    Record<string, { readonly metadata?: Metadata; readonly additionalMetadataFile?: string }>
  >;
}

/** Prints the warnings of the constructs in a cloud assembly, as `cdk synth` does. */
export function printWarnings({ stderr }: Pick<DroverIo, 'stderr'>, assembly: string): void {
  const read = (file: string) => JSON.parse(readFileSync(join(assembly, file), 'utf8')) as unknown;
  const { artifacts = {} } = read('manifest.json') as Manifest;
  for (const { metadata = {}, additionalMetadataFile: file } of Object.values(artifacts))
    for (const [path, entries] of Object.entries({
      ...metadata,
      ...(file === undefined ? {} : (read(file) as Metadata)),
    }))
      for (const { type, data } of entries)
        if (type === 'aws:cdk:warning')
          stderr(`warning: ${path.replace(/^\//, '')}: ${String(data).replace(/ \[ack: .*\]$/, '')}\n`);
}
