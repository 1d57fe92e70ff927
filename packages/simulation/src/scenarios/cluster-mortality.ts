import type { ProcessContext } from '@drover/cloud-machines';
import type { Io } from '@drover/cluster-cli';
import type { Random } from '@drover/core';
import { killSelf } from '@drover/stage/cluster';

const never = new Promise<never>(() => {});
const metadataHost = '169.254.169.254';

/** Lets runs of the command die at their calls, and keeps the instance's metadata from them. */
export class Mortality {
  /** Runs that died. */
  deaths = 0;
  readonly #random: Random;
  #perCall = 0;
  #metadata: 'silent' | 'error' | undefined;
  #metadataChance = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** The chance that a call to Elasticsearch or the metadata service kills its process. */
  callsKillWith(chance: number): void {
    this.#perCall = chance;
  }

  metadataFails(how: 'silent' | 'error' | undefined, chance: number): void {
    this.#metadata = how;
    this.#metadataChance = chance;
  }

  /** No run gets anything of its instance's metadata. */
  get metadataIsGone(): boolean {
    return this.#metadata !== undefined && this.#metadataChance === 1;
  }

  end(): void {
    this.callsKillWith(0);
    this.metadataFails(undefined, 0);
  }

  readonly wrap = (io: Io, context: ProcessContext): Io => ({
    ...io,
    exchange: async (request) => {
      if (
        request.host.startsWith(metadataHost) &&
        this.#metadata !== undefined &&
        this.#random.chance(this.#metadataChance)
      )
        return this.#metadata === 'silent' ? await never : { status: 500, headers: {}, body: 'injected fault' };
      if (this.#random.chance(this.#perCall)) await this.#die(context);
      const answer = await io.exchange(request);
      if (this.#random.chance(this.#perCall)) await this.#die(context);
      return answer;
    },
  });

  async #die(context: ProcessContext): Promise<void> {
    this.deaths += 1;
    killSelf(context);
    await never;
  }
}
