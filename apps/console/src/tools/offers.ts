import type { InstanceState, NodeState, Observation } from '@drover/observation/api';
import type { Act } from '../controls.ts';
import { shortId } from '../words.ts';

/** Something that can be done to a thing of the page: by its button, and by the palette. */
export interface Offer {
  /** Alone it says what is done, and to what. */
  readonly title: string;
  /** The thing, as in the page's address: `zone/eu-west-1a`, `platform/github`. */
  readonly about: string;
  /** On its own button, where the title says more than is needed. */
  readonly label?: string;
  readonly act: Act;
  readonly done: string;
  /** The act that takes it back. */
  readonly undo?: Act;
  /** Asked first, because nothing takes it back. */
  readonly question?: string;
  /** It is on, and this turns it off. */
  readonly on?: boolean;
  readonly harmless?: boolean;
}

type Half = readonly [title: string, act: Act, done: string];

/** A thing that is on or off, each of which takes the other back. */
function toggle(about: string, on: boolean, [turnOn, turnOff]: readonly [Half, Half], harmless = false): Offer {
  const [title, act, done] = on ? turnOff : turnOn;
  const [, undo] = on ? turnOn : turnOff;
  return { title, about, act, done, undo, on, harmless };
}

export const aboutZone = (zone: string): string => `zone/${zone}`;
export const aboutPlatform = 'platform/github';
export const aboutFunctions = 'functions/all';

const faultOffers = ({ zones, platform }: Observation): readonly Offer[] => [
  ...zones.map(({ name, lost }) =>
    toggle(aboutZone(name), lost, [
      [`Lose ${name}`, ['lose-zone', { zone: name, lost: true }], `${name} is lost.`],
      [`Bring ${name} back`, ['lose-zone', { zone: name, lost: false }], `${name} is back.`],
    ]),
  ),
  toggle(aboutPlatform, platform.down, [
    ['Take GitHub down', ['platform-down', { on: true }], 'GitHub returns 503.'],
    ['Bring GitHub back', ['platform-down', { on: false }], 'GitHub is back.'],
  ]),
  toggle(aboutPlatform, platform.rateLimited, [
    ['Rate-limit GitHub', ['platform-rate-limit', { on: true }], 'GitHub rejects requests by its rate limit.'],
    ['Lift the rate limit', ['platform-rate-limit', { on: false }], 'The rate limit is lifted.'],
  ]),
  toggle('network/all', platform.slowNetwork, [
    ['Slow the network', ['slow-network', { on: true }], 'Every request takes five seconds more.'],
    ['Restore the network', ['slow-network', { on: false }], 'The network is fast again.'],
  ]),
  toggle(aboutFunctions, platform.functionsThrottled, [
    ['Throttle the functions', ['throttle-functions', { on: true }], 'Lambda runs no function.'],
    ['Let functions run', ['throttle-functions', { on: false }], 'Lambda runs functions again.'],
  ]),
];

const refreshOffers = ({ fleet, cluster }: Observation): readonly Offer[] =>
  [fleet.groupName, ...cluster.groups.map(({ name }) => name)].map((group) => {
    const on = [fleet.refresh, ...cluster.refreshes].some(
      (refresh) => refresh?.group === group && /Progress|Pending|Cancelling/.test(refresh.status),
    );
    const begins = `Every instance of ${group} is replaced, one at a time.`;
    return toggle(
      `group/${group}`,
      on,
      [
        [`Refresh ${group}`, ['start-refresh', { group }], begins],
        [`Cancel refresh of ${group}`, ['cancel-refresh', { group }], `The refresh of ${group} is cancelled.`],
      ],
      true,
    );
  });

export function instanceOffers({ id, spot }: InstanceState): readonly Offer[] {
  const short = shortId(id);
  const about = `instance/${id}`;
  const instance = { instance: id };
  const reclaim: Offer = {
    title: `Reclaim ${id}`,
    label: 'Reclaim',
    about,
    question: `Let EC2 take ${id} back in two minutes? A longer job on it is lost.`,
    act: ['reclaim-spot', instance],
    done: `${short} is interrupted in two minutes.`,
  };
  return [
    {
      title: `Terminate ${id}`,
      label: 'Terminate',
      about,
      question: `Terminate ${id}? Its job may finish first, and another instance takes its place.`,
      act: ['terminate-instance', instance],
      done: `${short} is being terminated.`,
    },
    {
      title: `Break ${id}`,
      label: 'Break',
      about,
      question: `Destroy the hardware of ${id}? A job on it is lost.`,
      act: ['break-instance', instance],
      done: `${short} no longer exists.`,
    },
    {
      title: `Hang ${id}`,
      label: 'Hang',
      about,
      question: `Let the operating system of ${id} hang? A job on it is lost.`,
      act: ['hang-instance', instance],
      done: `${short} no longer responds.`,
    },
    {
      title: `Fill disk of ${id}`,
      label: 'Fill disk',
      about,
      question: `Fill the disk of ${id}? It takes no further job and is replaced.`,
      act: ['fill-disk', instance],
      done: `The disk of ${short} is full.`,
    },
    ...(spot ? [reclaim] : []),
  ];
}

export function nodeOffers({ instanceId, name, role, machine }: NodeState): readonly Offer[] {
  const about = `node/${instanceId}`;
  const instance = { instance: instanceId };
  const fill: Offer = {
    title: `Fill disk of ${name}`,
    label: 'Fill disk',
    about,
    question: `Fill the disk of ${name}? Elasticsearch moves its shards away; nothing replaces the node by itself.`,
    act: ['fill-disk', instance],
    done: `The disk of ${name} is full.`,
  };
  return [
    {
      title: `Kill ${name}`,
      label: 'Kill',
      about,
      question: `Destroy ${name}? Its shards are restored from their other copies.`,
      act: ['kill-node', instance],
      done: `${name} is powered off.`,
    },
    {
      title: `Hang ${name}`,
      label: 'Hang',
      about,
      question: `Let the operating system of ${name} hang? Its group replaces it.`,
      act: ['hang-instance', instance],
      done: `${name} no longer responds.`,
    },
    ...(role === 'data' ? [fill] : []),
    toggle(about, machine === 'unreachable', [
      [`Cut off ${name}`, ['cut-off', { instance: instanceId, on: true }], `No other node reaches ${name}.`],
      [`Connect ${name}`, ['cut-off', { instance: instanceId, on: false }], `${name} is reached again.`],
    ]),
    {
      title: `Replace ${name}`,
      label: 'Replace',
      about,
      question: `Terminate ${name}? Its shards move away first, and another node takes its place.`,
      act: ['terminate-instance', instance],
      done: `${name} is drained and replaced.`,
    },
  ];
}

/** The acts on the surroundings, and the roll-outs. */
export const groundOffers = (
  state: Observation,
): { readonly faults: readonly Offer[]; readonly refreshes: readonly Offer[] } => ({
  faults: faultOffers(state),
  refreshes: refreshOffers(state),
});

/** Everything that the page can do with one click; a form is for what needs numbers. */
export function offersOf(state: Observation): readonly Offer[] {
  const { fleet, cluster } = state;
  const few: Act = ['queue-jobs', { count: 5, minutes: 10 }];
  return [
    { title: 'Queue 5 jobs of 10 minutes', about: 'jobs/all', act: few, done: '5 jobs were queued.', harmless: true },
    ...faultOffers(state),
    ...refreshOffers(state),
    ...fleet.instances.flatMap(instanceOffers),
    ...cluster.nodes.flatMap(nodeOffers),
  ];
}
