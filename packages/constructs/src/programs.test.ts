import { expect, it } from 'vitest';
import { builtProgram } from './programs.ts';

it('a program that is not built is refused with the command that builds it, in the message that a test prints', () => {
  expect(() => builtProgram('apps/functions/dist/nothing')).toThrow(
    'apps/functions/dist/nothing is not built: run `npm run build` first',
  );
});
