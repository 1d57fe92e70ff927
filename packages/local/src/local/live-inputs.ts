import { deployCloudAssembly } from '@drover/cloud-world';
import { describeError, TerminalError, type VirtualClock } from '@drover/core';
import type { ChangeableInputs, Controls } from '@drover/observation/api';
import type { Deployment } from './deployment.ts';
import type { ChangedInputs } from './synthesise.ts';
import type { Situation } from './view/situation.ts';

/** Synthesises the stack again with other inputs. */
export type Resynthesise = (changed: ChangedInputs) => Promise<Deployment>;

/** The deployed inputs, and the way to change them: by an update of its stack, as on AWS. */
export class LiveInputs {
  readonly #situation: Situation;
  readonly #resynthesise: Resynthesise | undefined;
  readonly #modeChanged: () => void;
  #deployment: Deployment;
  #changed: ChangedInputs = {};

  /** Without `resynthesise` nothing can be changed: the app of the stack is not here. */
  constructor(
    situation: Situation,
    deployment: Deployment,
    resynthesise: Resynthesise | undefined,
    modeChanged: () => void,
  ) {
    this.#situation = situation;
    this.#deployment = deployment;
    this.#resynthesise = resynthesise;
    this.#modeChanged = modeChanged;
  }

  /** As the last deployment that came to its end has them. */
  get fleet(): Deployment['fleet'] {
    return this.#deployment.fleet;
  }

  /** The last that came to its end. */
  get deployment(): Deployment {
    return this.#deployment;
  }

  /** For the page; undefined if none can be changed. */
  state(): ChangeableInputs | undefined {
    if (this.#resynthesise === undefined) return undefined;
    const { world, fleet, stackUpdate } = this.#situation;
    return {
      idleTarget: this.fleet.idleTarget,
      maxSize: world.observe.group(fleet.groupName)?.maxSize ?? 0,
      drainSeconds: this.fleet.allowedDrainSeconds,
      mode: this.fleet.scalingMode,
      updating: stackUpdate?.state === 'under way',
    };
  }

  /** Begins an update; the situation says when it has ended, and how. */
  async change({ idleTarget, maxSize, drainSeconds, mode }: Controls['change-inputs']): Promise<void> {
    if (this.#resynthesise === undefined)
      throw new TerminalError('the stack was synthesised by another app', {
        remedy: 'change the input there, synthesise it again and start with --reset',
      });
    if ([idleTarget, maxSize, drainSeconds, mode].every((given) => given === undefined))
      throw new TerminalError('no input was changed', { remedy: 'change one of them first' });
    if (this.#situation.stackUpdate?.state === 'under way')
      throw new TerminalError('a stack update is under way', { remedy: 'wait until it has ended' });
    const changed: ChangedInputs = {
      ...this.#changed,
      ...(idleTarget === undefined ? {} : { idleRunnersTargetCount: idleTarget }),
      ...(maxSize === undefined ? {} : { asgMaxSize: maxSize }),
      ...(drainSeconds === undefined ? {} : { allowedDrainTime: drainSeconds }),
      ...(mode === undefined ? {} : { scalingMode: mode }),
    };
    // Time stands still meanwhile: a replay does the same at the same moment, however long it takes.
    const next = await (this.#situation.clock as VirtualClock).hold(this.#resynthesise(changed));
    this.#situation.stackUpdate = { state: 'under way', reason: '' };
    // The functions change during the update, long before it ends.
    if (next.fleet.scalingMode !== this.fleet.scalingMode) this.#modeChanged();
    void this.#deploy(next, changed);
  }

  async #deploy(next: Deployment, changed: ChangedInputs): Promise<void> {
    try {
      await deployCloudAssembly(this.#situation.world, next.assembly);
      this.#deployment = next;
      this.#changed = changed;
      this.#situation.stackUpdate = { state: 'done', reason: '' };
    } catch (error) {
      this.#situation.stackUpdate = { state: 'failed', reason: describeError(error) };
    }
  }
}
