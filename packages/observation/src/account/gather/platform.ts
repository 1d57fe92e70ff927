import { PlatformStatusError, rateLimit } from '@drover/adapters/github';
import type { OpenFleet } from '@drover/operator/fleet/open-fleet';
import type { JobsMemory, RunnerList } from '@drover/runner-fleet';
import type { PlatformState } from '../../api.ts';
import type { Source } from '../rota.ts';

/** The runners of the fleet and the platform's rate limit; in jobs mode what the windows remember, for a scale set has no list of its runners. */
export class PlatformReadings {
  readonly #fleet: OpenFleet;
  #runners: RunnerList | undefined;
  #jobs: JobsMemory | undefined;
  #remaining: number | undefined;
  #trouble: 'down' | 'limited' | undefined;

  constructor(fleet: OpenFleet) {
    this.#fleet = fleet;
  }

  /** Asked of the platform. A page of runners that has not changed costs nothing of the limit, nor does asking for the limit. */
  get sources(): readonly Source[] {
    const limit = { what: 'GitHub: rate limit', everyMs: 60_000, read: () => this.#watched(() => this.#readLimit()) };
    const list = { what: 'GitHub: runners', everyMs: 20_000, read: () => this.#watched(() => this.#readRunners()) };
    return this.#fleet.ports.jobsMode ? [limit] : [list, limit];
  }

  /** Asked of AWS. */
  get memorySources(): readonly Source[] {
    const memory = { what: 'fleet memory', everyMs: 15_000, read: () => this.#readMemory() };
    return this.#fleet.ports.jobsMode ? [memory] : [];
  }

  get runners(): RunnerList | undefined {
    return this.#runners;
  }

  get jobs(): JobsMemory | undefined {
    return this.#jobs;
  }

  get state(): PlatformState {
    return {
      down: this.#trouble === 'down',
      rateLimited: this.#trouble === 'limited',
      slowNetwork: false,
      functionsThrottled: false,
      remaining: this.#remaining,
      requests: undefined,
    };
  }

  async #readRunners(): Promise<void> {
    this.#runners = await this.#fleet.ports.runners.list(this.#runners);
  }

  async #readLimit(): Promise<void> {
    this.#remaining = (await rateLimit(this.#fleet.platform))?.core.remaining;
  }

  async #readMemory(): Promise<void> {
    this.#jobs = (await this.#fleet.ports.memory.read()).jobs;
  }

  async #watched(read: () => Promise<void>): Promise<void> {
    try {
      await read();
      this.#trouble = undefined;
    } catch (error) {
      const status = error instanceof PlatformStatusError ? error.status : undefined;
      this.#trouble =
        status === undefined || status >= 500 ? 'down' : status === 429 || status === 403 ? 'limited' : undefined;
      throw error;
    }
  }
}
