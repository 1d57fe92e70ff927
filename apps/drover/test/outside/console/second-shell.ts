import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../local-process.ts';
import type { ConsoleDriver } from './driver.ts';
import type { Services } from './services.ts';

/** Commands of the README for a second shell. */
export function secondShellCases(
  ui: ConsoleDriver,
  services: Services,
  awsClients: readonly { readonly path: string }[],
): void {
  const blocks = readmeBlocks();
  it.each(awsClients)(
    'the README commands work in a second shell with the AWS CLI of $path',
    async ({ path }) => {
      // Blocks that do not call the AWS CLI are the same for each of them.
      const typed = blocks.filter((block) => path === awsClients[0]!.path || /\baws [a-z]/.test(block));
      expect(typed.length).toBeGreaterThan(0);
      await ui.until('a runner in service', async () => (await services.inService('runners')).length > 0);
      for (const block of typed) {
        const { code, stdout, stderr } = await ui.local.type(block, path);
        expect(code, `${block}\n${stdout}\n${stderr}`).toBe(0);
      }
    },
    900_000,
  );
}

/** The README's blocks for a second shell. */
function readmeBlocks(): string[] {
  const text = readFileSync(join(root, 'README.md'), 'utf8');
  const section = /^#+ A second shell$([\s\S]*?)(?=^#+ |(?![\s\S]))/m.exec(text)?.[1] ?? '';
  return [...section.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block]) => block!);
}
