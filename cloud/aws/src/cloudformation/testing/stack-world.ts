import { CreateStackCommand, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation';
import { type Clients, clients, World } from '@drover/cloud-world';
import type { VirtualClock } from '@drover/core';
import type { ResourceProvider, ResourceProviders } from '../../account/service.ts';
import type { TemplateObject } from '../template/template.ts';

/** A world for tests of stacks, with real SDK clients and time that the test moves. */
export interface StackWorld {
  readonly world: World;
  readonly clock: VirtualClock;
  readonly sdk: Clients;
  /** Lets time pass until every stack has come to rest. */
  rest(): Promise<void>;
  /** Lets time pass until a promise settles. */
  during<T>(work: Promise<T>): Promise<T>;
  /** Creates a stack and waits for it to come to rest. */
  create(name: string, template: TemplateObject, more?: object): Promise<Stack>;
  describe(nameOrId: string): Promise<Stack>;
  /** `logical id STATUS reason` of every event, oldest first. */
  events(nameOrId: string): string[];
}

const dayMs = 86_400_000;

export function stackWorld(): StackWorld {
  const world = new World();
  const clock = world.engine.clock as VirtualClock;
  const sdk = clients(world);
  const { stacks } = world.aws.cloudformation;
  const rest = async () => {
    await clock.runUntil(() => stacks.all().every((stack) => stack.operation === undefined), 2 * dayMs);
  };
  const describe = async (StackName: string) =>
    (await sdk.cloudformation.send(new DescribeStacksCommand({ StackName }))).Stacks![0]!;
  return {
    world,
    clock,
    sdk,
    rest,
    describe,
    during: async (work) => {
      let settled = false;
      const end = () => {
        settled = true;
      };
      work.then(end, end);
      await clock.runUntil(() => settled, 2 * dayMs);
      return await work;
    },
    create: async (StackName, template, more = {}) => {
      const command = new CreateStackCommand({ StackName, TemplateBody: JSON.stringify(template), ...more });
      const { StackId } = await sdk.cloudformation.send(command);
      await rest();
      return await describe(StackId!);
    },
    events: (name) =>
      stacks
        .get(name)
        .events.map(({ logicalId, status, reason }) => [logicalId, status, reason].filter(Boolean).join(' ')),
  };
}

/** Puts providers of the test's own in place of real ones. */
export function withProviders(world: World, providers: Record<string, Partial<ResourceProvider>>): void {
  const complete: ResourceProviders = Object.fromEntries(
    Object.entries(providers).map(([type, provider]) => [
      type,
      { create: ({ generateName }) => ({ physicalId: generateName() }), delete: () => {}, ...provider },
    ]),
  );
  const original = world.aws.cloudformation.behaviourOf.bind(world.aws.cloudformation);
  world.aws.cloudformation.behaviourOf = (type) => complete[type] ?? original(type);
}
