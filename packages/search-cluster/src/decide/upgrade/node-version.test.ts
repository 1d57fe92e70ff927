import { expect, it } from 'vitest';
import { decideNodeVersion, type NodeVersionFacts } from './node-version.ts';

const facts = (over: Partial<NodeVersionFacts>): NodeVersionFacts => ({
  launched: '8.18.8',
  told: undefined,
  running: undefined,
  installed: undefined,
  stopped: undefined,
  written: undefined,
  ...over,
});

it.each<[string, Partial<NodeVersionFacts>, string]>([
  ['a node without anything on it installs what it was launched with', {}, '8.18.8'],
  ['a new node of an upgraded cluster installs what its first run found out', { written: '8.19.21' }, '8.19.21'],
  ['a stopped node that gets a version installs it', { told: '8.19.21', installed: '8.18.8' }, '8.19.21'],
  [
    'a node that runs the version it is told has nothing to change',
    { told: '8.19.21', running: '8.19.21', installed: '8.19.21' },
    '8.19.21',
  ],
  [
    'a node that was upgraded in place does not go back to its user data',
    { running: '8.19.21', installed: '8.19.21', written: '8.19.21' },
    '8.19.21',
  ],
  [
    'a node whose package could not be installed stays what it is',
    { running: '8.18.8', installed: '8.18.8', written: '8.19.21' },
    '8.18.8',
  ],
  [
    'a node that is down after its upgrade has failed stays what it is, too',
    { installed: '8.18.8', stopped: '8.18.8', written: '8.19.21' },
    '8.18.8',
  ],
  [
    'a process gets back the files that it was started from',
    { running: '8.18.8', installed: '8.19.21', written: '8.19.21' },
    '8.18.8',
  ],
  [
    'a node whose package is in place and that has not started yet starts with it',
    { installed: '8.19.21', stopped: '8.18.8', written: '8.19.21' },
    '8.19.21',
  ],
  ['a node whose package was interrupted gets what was stopped', { stopped: '8.18.8', written: '8.19.21' }, '8.18.8'],
  ['a process is not given other files', { told: '8.19.21', running: '8.18.8' }, 'elasticsearch-runs'],
  ['a node does not go below its user data', { told: '8.17.10' }, 'older-version'],
  ['a node does not go below its package', { told: '8.18.8', installed: '8.19.21' }, 'older-version'],
  [
    'a node that runs less than its user data says is upgraded to a version between',
    { launched: '9.5.3', told: '8.19.21', installed: '8.18.8' },
    '8.19.21',
  ],
])('%s', (_title, over, expected) => {
  const found = decideNodeVersion(facts(over));
  expect(typeof found === 'string' ? found : found.name).toBe(expected);
});
