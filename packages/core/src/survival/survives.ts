/** Which single losses a configuration survives; what is lost then comes back by itself. */
export interface Survival {
  /** Any one machine. */
  readonly machine: boolean;
  /** `some`: of a cluster those with the smaller part of the masters, of a fleet those without its functions. */
  readonly zones: 'any' | 'some' | 'none';
  /** For people: synthesis, status and doctor print it. */
  readonly line: string;
}

/** A search cluster as it is configured. */
export interface ClusterShape {
  readonly masters: number;
  readonly dataNodes: number;
  /** Of the subnets. */
  readonly zones: number;
  /** Of each shard, the primary included. @default 2 */
  readonly copies?: number;
}

/** Auto Scaling spreads a group over its zones as evenly as it can. */
const spread = (count: number, zones: number): readonly number[] =>
  Array.from({ length: zones }, (_, zone) => Math.floor(count / zones) + (zone < count % zones ? 1 : 0));

/** Which single losses a search cluster survives. Pure. */
export function clusterSurvives({ masters, dataNodes, zones, copies = 2 }: ClusterShape): Survival {
  const machine = masters >= 3 && dataNodes >= 2 && copies >= 2;
  const [mastersIn, dataIn] = [spread(masters, zones), spread(dataNodes, zones)];
  const dataSurvives = (zone: number) => dataIn[zone] === 0 || (copies >= 2 && dataIn[zone]! < dataNodes);
  const survived = mastersIn.filter((count, zone) => 2 * (masters - count) > masters && dataSurvives(zone)).length;
  const ofZones = survived === zones ? 'any' : survived === 0 ? 'none' : 'some';
  const words = [
    ...(machine ? ['any one machine'] : []),
    ...(ofZones === 'any' ? [`any one of ${zones} zones`] : []),
    ...(ofZones === 'some' ? ['a zone with the smaller part of the masters'] : []),
  ];
  const reasons = [
    ...(masters < 3 ? [`${masters} master has no majority without itself`] : []),
    ...(dataNodes < 2 ? ['one data node has the only copy of each shard'] : []),
    ...(copies < 2 ? ['shards have no replica'] : []),
    ...(machine && ofZones !== 'any' ? [`a zone has ${Math.max(...mastersIn)} of ${masters} masters`] : []),
  ];
  return { machine, zones: ofZones, line: lineOf(words, reasons) };
}

/** A runner fleet as it is configured. */
export interface FleetShape {
  readonly mode: 'idle' | 'jobs';
  /** Of the subnets of the runners. */
  readonly zones: number;
  /** Of the subnets of the functions; 0: they are outside a VPC, where Lambda has several. */
  readonly functionZones: number;
}

/** Which single losses a runner fleet survives: jobs on a machine are lost with it, and other machines take the next ones. Pure. */
export function fleetSurvives({ mode, zones, functionZones }: FleetShape): Survival {
  const ofZones = zones < 2 ? 'none' : functionZones === 1 ? 'some' : 'any';
  const words = [
    'any one machine',
    ...(ofZones === 'any' ? [`any one of ${zones} zones`] : []),
    ...(ofZones === 'some' ? ['a zone without its functions'] : []),
    'any run of a function',
    ...(mode === 'jobs' ? ['its session with GitHub'] : []),
  ];
  const reasons = [
    ...(zones < 2 ? ['all its runners are in one zone'] : []),
    ...(functionZones === 1 ? ['all its functions are in one zone'] : []),
  ];
  return { machine: true, zones: ofZones, line: lineOf(words, reasons) };
}

const lineOf = (words: readonly string[], reasons: readonly string[]): string => {
  const lost = words.length === 0 ? 'survives the loss of no machine' : `survives the loss of ${words.join(', or ')}`;
  return reasons.length === 0 ? lost : `${lost}; ${reasons.join(', ')}`;
};
