import { SeededRandom } from '@drover/core';
import { asFetch } from '@drover/embedded-cloud';
import type { FleetStage } from '@drover/simulation/stories/fleet-stage';
import { main } from '../src/main.ts';

export interface Answer {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command as an operator of a staged fleet would, on the stage's own clock and network. */
export async function drover(stage: FleetStage, ...argv: string[]): Promise<Answer> {
  const { fleet, aws } = stage;
  const said = { stdout: '', stderr: '' };
  const io = {
    stdout: (text: string) => {
      said.stdout += text;
    },
    stderr: (text: string) => {
      said.stderr += text;
    },
    terminal: false,
    env: {},
    clock: fleet.clock,
    random: new SeededRandom('operator'),
    fetch: asFetch(fleet.world.network.from({ kind: 'operator', name: 'operator' })),
    signal: new AbortController().signal,
    aws: async () => ({ ...aws, secrets: aws.secretsmanager }),
  };
  const exitCode = await fleet.drive(main(argv, io), 30 * 60_000);
  return { exitCode, ...said };
}
