import { arn } from '../account/arn.ts';
import { AwsError } from '../account/errors.ts';
import type { Stack } from './deploy/model.ts';
import type { PlannedChange } from './deploy/plan.ts';
import type { Deployment } from './deploy/prepare.ts';
import type { StackInput, Stacks } from './state.ts';

export type ChangeSetType = 'CREATE' | 'UPDATE';

/** User Guide, "Change set status codes". */
type ChangeSetStatus = 'CREATE_PENDING' | 'CREATE_IN_PROGRESS' | 'CREATE_COMPLETE' | 'FAILED' | 'DELETE_COMPLETE';

export interface ChangeSet {
  readonly id: string;
  readonly name: string;
  readonly stack: Stack;
  readonly type: ChangeSetType;
  readonly createdAt: number;
  readonly input: StackInput & {
    readonly Description?: string;
    readonly OnStackFailure?: 'ROLLBACK' | 'DELETE' | 'DO_NOTHING';
  };
  readonly deployment: Deployment;
  status: ChangeSetStatus;
  statusReason?: string;
  executionStatus: 'UNAVAILABLE' | 'AVAILABLE' | 'EXECUTE_IN_PROGRESS' | 'EXECUTE_COMPLETE' | 'OBSOLETE';
  changes: readonly PlannedChange[];
}

/** All change sets that were not deleted. */
export class ChangeSets {
  readonly #stacks: Stacks;
  readonly #all: ChangeSet[] = [];

  constructor(stacks: Stacks) {
    this.#stacks = stacks;
  }

  newId(name: string): string {
    const { scope, random } = this.#stacks.context;
    return arn(scope, 'cloudformation', `changeSet/${name}/${random.uuid()}`);
  }

  add(changeSet: ChangeSet): void {
    this.#all.push(changeSet);
  }

  of(stack: Stack): ChangeSet[] {
    return this.#all.filter((each) => each.stack === stack);
  }

  /** By its ARN, or by its name within a stack. */
  find(nameOrId: string, stackName: string | undefined): ChangeSet | undefined {
    if (nameOrId.startsWith('arn:')) return this.#all.find((each) => each.id === nameOrId);
    const stack = stackName === undefined ? undefined : this.#stacks.find(stackName);
    return this.#all.find((each) => each.name === nameOrId && each.stack === stack);
  }

  get(nameOrId: string, stackName: string | undefined): ChangeSet {
    const found = this.find(nameOrId, stackName);
    if (found === undefined)
      throw new AwsError('ChangeSetNotFoundException', `ChangeSet [${nameOrId}] does not exist`, 404);
    return found;
  }

  remove(changeSet: ChangeSet): void {
    const at = this.#all.indexOf(changeSet);
    if (at >= 0) this.#all.splice(at, 1);
  }
}
