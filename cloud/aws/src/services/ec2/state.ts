import type {
  AwsNeighbours,
  ConnectionSource,
  Ec2Instance,
  Ec2Neighbour,
  InstanceStateName,
  InstanceTypeRequirements,
  LaunchRequest,
  LaunchTemplateView,
  Market,
} from '../../account/neighbours.ts';
import type { Image } from './catalog.ts';
import { Images, requireAvailable } from './images/images.ts';
import { typesMeeting } from './instances/instance-requirements.ts';
import { Instances } from './instances/instances.ts';
import { checkPlan, imageOf, type LaunchPlan, newInstance, typeOf } from './instances/launch-instance.ts';
import { LaunchTemplates } from './instances/launch-templates.ts';
import type { Instance, LaunchTemplateData, OwnImage } from './model.ts';
import { admits } from './network/admits.ts';
import { NetworkModel } from './network/network.ts';
import { Registry } from './registry.ts';
import { Volumes } from './volumes/volumes.ts';

/** Everything EC2 knows and does; the API operations and resource types are written in terms of it. */
export class Ec2State implements Ec2Neighbour {
  readonly aws: AwsNeighbours;
  readonly registry: Registry;
  readonly network: NetworkModel;
  /** Until when network interfaces of functions that left have a security group. */
  readonly heldGroups = new Map<string, number>();
  readonly launchTemplates: LaunchTemplates;
  readonly catalog: Images;
  readonly fleet: Instances;
  readonly volumes: Volumes;

  constructor(aws: AwsNeighbours) {
    const random = aws.engine.random.fork('ec2');
    this.aws = aws;
    this.registry = new Registry(aws, random.fork('ids'));
    this.network = new NetworkModel(this.registry, aws.engine.clock);
    this.launchTemplates = new LaunchTemplates(this.registry, aws.engine.clock);
    this.fleet = new Instances(aws, random.fork('delays'), (instance) => this.#release(instance));
    this.volumes = new Volumes(aws, this.registry, random.fork('volumes'));
    this.catalog = new Images(aws, this.registry, random.fork('images'));
    this.network.createDefaultVpc(aws.zones);
  }

  get instances(): ReadonlyMap<string, Instance> {
    return this.fleet.byId;
  }

  get images(): Map<string, Image> {
    return this.catalog.byId;
  }

  /** Makes an image known, so that launch templates can name it. */
  registerImage(image: Image): void {
    this.images.set(image.imageId, image);
  }

  /** Whether instances of this image have the agent of Systems Manager from the start. */
  bringsRemoteAgent(imageId: string): boolean {
    return this.images.get(imageId)?.remoteAgent ?? true;
  }

  /** Whether the id is that of an image that can be launched from. */
  isImage(imageId: string): boolean {
    const image = this.images.get(imageId);
    return image !== undefined && !('state' in image && image.state !== 'available');
  }

  /** Files that the disk of a new instance of this image has. */
  diskOfImage(imageId: string): ReadonlyMap<string, string> {
    const image = this.images.get(imageId);
    return image !== undefined && 'disk' in image ? (image as OwnImage).disk : new Map();
  }

  /** `overrides` are those of RunInstances; each replaces the template's whole member. */
  launch(request: LaunchRequest, overrides: Partial<LaunchTemplateData> = {}): Instance {
    const plan = this.#plan(request, overrides);
    requireAvailable(plan.image);
    checkPlan(plan);
    const privateIp = this.network.takeAddress(plan.subnet);
    const instance = newInstance(this.aws, plan, this.registry.newId('i'), privateIp);
    this.registry.add(instance);
    this.volumes.create(instance, plan);
    this.fleet.add(instance);
    return instance;
  }

  terminate(instanceId: string, reason: string): void {
    this.fleet.terminate(this.fleet.get(instanceId), reason);
  }

  stop(instanceId: string, options: { hibernate: boolean }): void {
    this.fleet.stop(this.fleet.get(instanceId), options);
  }

  start(instanceId: string): void {
    this.fleet.start(this.fleet.get(instanceId));
  }

  /** Takes a spot instance away with two minutes' notice. */
  reclaimSpot(instanceId: string): void {
    this.fleet.reclaimSpot(this.fleet.get(instanceId));
  }

  /** EC2 recommends to replace a spot instance. */
  recommendRebalance(instanceId: string): void {
    this.fleet.recommendRebalance(this.fleet.get(instanceId));
  }

  /** Its operating system has powered off: "Change instance initiated shutdown behavior". */
  poweredOff(instanceId: string): void {
    this.fleet.poweredOff(this.fleet.get(instanceId));
  }

  setImpaired(instanceId: string, impaired: boolean): void {
    this.fleet.setImpaired(this.fleet.get(instanceId), impaired);
  }

  resolveLaunchTemplateVersion(idOrName: string, version: string): string {
    const reference = idOrName.startsWith('lt-') ? { id: idOrName } : { name: idOrName };
    return this.launchTemplate(reference, version).versionNumber;
  }

  launchTemplate(
    reference: { id?: string | undefined; name?: string | undefined },
    version: string,
  ): LaunchTemplateView {
    const { id, name } = reference;
    const template = this.launchTemplates.find({
      ...(id === undefined ? {} : { LaunchTemplateId: id }),
      ...(name === undefined ? {} : { LaunchTemplateName: name }),
    });
    const { number, data } = this.launchTemplates.version(template, version);
    imageOf(this.images, data.ImageId, (parameter) => this.#imageParameter(parameter));
    const spot = data.InstanceMarketOptions?.MarketType === 'spot';
    return { id: template.id, name: template.name, versionNumber: String(number), spot };
  }

  instanceTypesFor(
    { id, version }: { readonly id: string; readonly version: string },
    requirements: InstanceTypeRequirements,
    market: Market,
  ): readonly string[] {
    const template = this.launchTemplates.find({ LaunchTemplateId: id });
    const { data } = this.launchTemplates.version(template, version);
    const image = imageOf(this.images, data.ImageId, (parameter) => this.#imageParameter(parameter));
    return typesMeeting(requirements, image, market).map(({ name }) => name);
  }

  defaultSubnets(zones: readonly string[]): readonly string[] {
    return [...this.network.subnets.values()]
      .filter((subnet) => subnet.isDefault && zones.includes(subnet.zone))
      .map((subnet) => subnet.id);
  }

  /** The instance that responds at a private address. */
  runningAt(privateIp: string): Instance | undefined {
    for (const instance of this.instances.values())
      if (instance.privateIp === privateIp && instance.state === 'running') return instance;
    return undefined;
  }

  takeAddress(subnetId: string): string {
    return this.network.takeAddress(this.network.subnet(subnetId));
  }

  releaseAddress(subnetId: string, address: string): void {
    this.network.subnets.get(subnetId)?.freeAddresses.push(address);
  }

  vpcOfSubnet(subnetId: string): string | undefined {
    return this.network.subnets.get(subnetId)?.vpcId;
  }

  requireSecurityGroup(groupId: string): void {
    this.network.securityGroup(groupId);
  }

  holdSecurityGroups(groupIds: readonly string[], untilMs: number): void {
    for (const id of groupIds) this.heldGroups.set(id, untilMs);
  }

  admits(securityGroupIds: readonly string[], port: number, source: ConnectionSource): boolean {
    return admits(this.network, securityGroupIds, port, source);
  }

  zoneOfSubnet(subnetId: string): string {
    return this.network.subnet(subnetId).zone;
  }

  /** NAT, or an internet gateway together with a public address. */
  hasInternetRoute(subnetId: string, options: { publicAddress?: boolean } = {}): boolean {
    const route = this.network.internetRoute(subnetId);
    const publicAddress = options.publicAddress ?? this.network.subnet(subnetId).mapPublicIpOnLaunch;
    return route === 'nat' || (route === 'internet-gateway' && publicAddress);
  }

  publicImageParameter(name: string): string | undefined {
    for (const image of this.images.values()) if (image.parameters.includes(name)) return image.imageId;
    return undefined;
  }

  onInstanceState(listener: (instance: Ec2Instance, from: InstanceStateName | undefined) => void): void {
    this.fleet.onState(listener);
  }

  onSpotNotice(listener: (instance: Ec2Instance, atMs: number) => void): void {
    this.fleet.onSpotNotice(listener);
  }

  onRebalanceRecommendation(listener: (instance: Ec2Instance) => void): void {
    this.fleet.onRebalanceRecommendation(listener);
  }

  onImpaired(listener: (instance: Ec2Instance, impaired: boolean) => void): void {
    this.fleet.onImpaired(listener);
  }

  #plan(request: LaunchRequest, overrides: Partial<LaunchTemplateData>): LaunchPlan {
    const { id, name, version } = request.launchTemplate;
    const reference = id === undefined ? { LaunchTemplateName: name ?? '' } : { LaunchTemplateId: id };
    const template = this.launchTemplates.find(reference);
    const { number, data: ofTemplate } = this.launchTemplates.version(template, version);
    const data = { ...ofTemplate, ...overrides };
    const subnet = this.network.subnet(request.subnetId);
    return {
      request,
      template,
      version: number,
      data,
      subnet,
      image: imageOf(this.images, data.ImageId, (parameter) => this.#imageParameter(parameter)),
      type: typeOf(request, data),
      securityGroupIds: this.#securityGroups(data, subnet.vpcId),
    };
  }

  #imageParameter(name: string): string | undefined {
    return this.publicImageParameter(name) ?? this.aws.ssm.parameter(name);
  }

  #securityGroups(data: LaunchTemplateData, vpcId: string): readonly string[] {
    const ids = data.NetworkInterfaces?.[0]?.Groups ?? data.SecurityGroupIds ?? [];
    for (const id of ids) this.network.securityGroup(id);
    if (ids.length > 0) return ids;
    for (const group of this.network.securityGroups.values())
      if (group.vpcId === vpcId && group.name === 'default') return [group.id];
    return [];
  }

  #release(instance: Instance): void {
    this.releaseAddress(instance.subnetId, instance.privateIp);
    this.registry.remove(instance.id);
    this.volumes.release(instance.id);
  }
}
