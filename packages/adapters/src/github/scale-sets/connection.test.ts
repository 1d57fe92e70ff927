import { asFetch } from '@drover/cloud-engine';
import { ActsWorld } from '@drover/cloud-github/testing';
import { Secret, SeededRandom, TransientError } from '@drover/core';
import { emptyMemory, type FleetMemory, type Memory, sharedMemory } from '@drover/runner-fleet';
import { expect, it } from 'vitest';
import { PlatformClient } from '../client.ts';
import { tokenCredentials } from '../credentials.ts';
import { actionsConnection } from './connection.ts';

const minute = 60_000;

/** The demand and another function of one fleet, each a process of its own that stays warm. */
class Processes {
  readonly world = new ActsWorld();
  memory: Memory = emptyMemory;
  /** The credential in its secret. */
  credential = this.world.token;
  writes = 0;
  writesFail = false;
  readonly #stored: FleetMemory = {
    read: async () => this.memory,
    update: async (change) => {
      if (this.writesFail) throw new TransientError('S3 is away');
      this.writes += 1;
      this.memory = change(this.memory);
    },
  };
  readonly #ofDemand = sharedMemory(this.#stored);
  readonly demand = this.#connection(this.#ofDemand, true);
  registration = this.#connection(sharedMemory(this.#stored), false);

  /** A window of the demand reads the memory first. */
  async window(): Promise<void> {
    await this.#ofDemand.read();
    await Promise.all([this.demand.renew(), this.demand.renew()]);
  }

  restartRegistration(): void {
    this.registration = this.#connection(sharedMemory(this.#stored), false);
  }

  #connection(memory: FleetMemory, renews: boolean) {
    const { clock, host } = this.world;
    const credentials = tokenCredentials(async () => new Secret(this.credential));
    const level = { kind: 'org', name: 'example-org' } as const;
    const common = { apiUrl: host.apiUrl, clock, credentials };
    const client = new PlatformClient({ ...common, level, fetch: asFetch(this.world.handle) });
    return actionsConnection({ ...common, client, random: new SeededRandom(1), memory, renews });
  }
}

it('the next window keeps the connection again when the memory of the fleet was lost, and asks GitHub for none', async () => {
  const processes = new Processes();
  await processes.window();
  const made = await processes.demand.current();
  processes.memory = emptyMemory;
  await expect(processes.registration.current()).rejects.toThrow('there is no connection to the Actions service');
  await processes.window();

  expect((await processes.registration.current()).token.reveal()).toBe(made.token.reveal());
});

it('a connection that could not be written when it was made is written by the next window', async () => {
  const processes = new Processes();
  processes.writesFail = true;
  await expect(processes.window()).rejects.toThrow('S3 is away');
  processes.writesFail = false;
  await processes.window();

  await expect(processes.registration.current()).resolves.toBeDefined();
});

it('windows write one connection an hour, however many scale sets there are', async () => {
  const processes = new Processes();
  for (let window = 0; window < 120; window++) {
    await processes.window();
    await processes.world.clock.advance(minute);
  }

  expect(processes.writes).toBeGreaterThanOrEqual(2);
  expect(processes.writes).toBeLessThanOrEqual(3);
});

it.each(['restarts', 'stays warm'])(
  'a credential that is replaced in its secret reaches every process when registration %s',
  async (how) => {
    const processes = new Processes();
    await processes.window();
    await processes.registration.current();
    processes.credential = 'ghp_another';
    if (how === 'restarts') {
      processes.restartRegistration();
      await expect(processes.registration.current()).rejects.toThrow('there is no connection to the Actions service');
    } else {
      processes.memory = emptyMemory;
      await processes.registration.instead(await processes.demand.current()).catch(() => {});
    }
    await processes.window();

    await expect(processes.registration.current()).resolves.toBeDefined();
  },
);
