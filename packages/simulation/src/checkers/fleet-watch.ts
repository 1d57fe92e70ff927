import type { JournalEntry, World } from '@drover/embedded-cloud';
import type { InstanceFate } from './judge-loss.ts';

/** What an instance went through, as the journal told it. */
interface History {
  terminatingAt: number | undefined;
  reclaimedAt: number | undefined;
  crashedAt: number | undefined;
  /** The wait state that it is in, and since when. */
  wait: { readonly state: string; readonly since: number } | undefined;
}

/** Follows every instance through the journal, so that checkers can judge without asking the programs. */
export class FleetWatch {
  readonly #histories = new Map<string, History>();
  faults = 0;
  launches = 0;

  constructor(world: World) {
    world.engine.journal.subscribe((entry) => this.#note(entry));
  }

  fateOf(instanceId: string): InstanceFate {
    return this.#history(instanceId);
  }

  /** Instances in a wait state, and since when. */
  waiting(): readonly { readonly instanceId: string; readonly state: string; readonly since: number }[] {
    return [...this.#histories].flatMap(([instanceId, { wait }]) =>
      wait === undefined ? [] : [{ instanceId, ...wait }],
    );
  }

  #note(entry: JournalEntry): void {
    const { source, name, subject = '', at } = entry;
    if (entry.kind === 'fault') this.#fault(entry);
    if (source === 'machine' && /-> crashed$/.test(name)) this.#history(subject).crashedAt ??= at;
    if (source !== 'aws.autoscaling' || entry.kind !== 'transition') return;
    const history = this.#history(subject);
    const state = name.split(' -> ')[1] ?? '';
    if (name === 'none -> Pending') this.launches += 1;
    if (state === 'Terminating' || state === 'Terminating:Wait') history.terminatingAt ??= at;
    history.wait = state.endsWith(':Wait') ? { state, since: at } : undefined;
  }

  #fault({ name, subject = '', at }: JournalEntry): void {
    this.faults += 1;
    if (name === 'spot-reclaim') this.#history(subject).reclaimedAt ??= at;
    if (name === 'crash' || name === 'boot-failure') this.#history(subject).crashedAt ??= at;
  }

  #history(instanceId: string): History {
    const known = this.#histories.get(instanceId);
    if (known !== undefined) return known;
    const fresh: History = { terminatingAt: undefined, reclaimedAt: undefined, crashedAt: undefined, wait: undefined };
    this.#histories.set(instanceId, fresh);
    return fresh;
  }
}
