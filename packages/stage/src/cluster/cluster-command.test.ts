import type { SearchNode } from '@drover/cloud-elasticsearch';
import type { ProcessContext } from '@drover/cloud-machines';
import { expect, it } from 'vitest';
import { usersCommand } from './cluster-command.ts';

/** Runs the tool for a node that has the user ann already. */
async function run(words: string, stdin: string) {
  const fileUsers = new Map([['ann', { password: 'ann-password', roles: ['superuser'] }]]);
  const program = usersCommand(() => ({ fileUsers }) as unknown as SearchNode);
  let said = '';
  const exitCode = await program({
    argv: ['elasticsearch-users', ...words.split(' ')],
    stdin,
    machine: { instance: { id: 'i-1' } },
    stderr: (text: string) => {
      said += text;
    },
  } as unknown as ProcessContext);
  return [exitCode, said.trim(), [...fileUsers.keys()]];
}

// Exit codes and words were read from the tool of 8.19.21; that it takes no password as an argument is ours.
it.each([
  ['useradd bob -r superuser', 'bobs-password\nbobs-password\n', 0, '', ['ann', 'bob']],
  ['useradd bob -r superuser', 'short\nshort\n', 65, 'passwords must be at least [6] characters long', ['ann']],
  ['useradd bob -r superuser', 'bobs-password\nanother\n', 65, 'Password mismatch', ['ann']],
  ['useradd ann -r superuser', 'bobs-password\nbobs-password\n', 70, 'User [ann] already exists', ['ann']],
  ['useradd bob -p bobs-password -r superuser', '', 64, 'is not modelled', ['ann']],
  ['userdel ann', '', 0, '', []],
  ['userdel bob', '', 67, "User [bob] doesn't exist", ['ann']],
])('elasticsearch-users %s with the input %j ends with exit code %i', async (words, stdin, exitCode, said, users) => {
  expect(await run(words, stdin)).toEqual([exitCode, expect.stringContaining(said), users]);
});
