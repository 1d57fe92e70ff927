import type { Socket } from 'node:dgram';
import { mkdirSync } from 'node:fs';
import { createServer as createHttp, type RequestListener, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { basename, join } from 'node:path';
import { answer, type HttpHandler, type Network } from '@drover/cloud-engine';
import { type Clock, RealClock } from '@drover/core';
import { Authority } from './authority.ts';
import { command } from './commands.ts';
import { bridge, bridgeAddress, type Container } from './container.ts';
import { controlGroupPrefix, controlGroups, removeControlGroup } from './control-groups.ts';
import { type Filtered, filterBridges, loadRules, packetRules } from './packet-rules.ts';
import { serveNames } from './resolver.ts';

/** systemd-nspawn's own folder, in which it makes one for each machine by its name: other clouds have machines of the same names. */
const machinesFolder = '/run/systemd/nspawn';
const metadataAddress = '169.254.169.254';
const resolverAddress = '169.254.169.253';
/** Every name of the world, TEST-NET-2 of RFC 5737: those of AWS, and all others, so that a machine can lose GitHub alone. */
const awsAddress = '198.51.100.1';
const othersAddress = '198.51.100.2';
const frontAddresses = [awsAddress, othersAddress];

/** A container that is part of the cloud, with its way into the world. */
interface Member {
  readonly container: Container;
  readonly http: HttpHandler;
  readonly subnetId: string;
  /** Its security groups and its hop limit. @default nothing is filtered */
  filter?(): Omit<Filtered, 'address'>;
}

/**
 * The network around containers: bridge, metadata service, resolver, and a front with every name of the world over TLS. All of them are
 * sockets of this process, which must be in network and mount namespaces of its own; nothing leads out of that. Who sends a request is known by
 * its address; the request goes on as one of that machine, so faults, IAM, barriers and the journal apply as to a simulated one.
 */
export class LinuxCloud {
  readonly folder: string;
  readonly authority: Authority;
  readonly clock: Clock = new RealClock();
  readonly #network: Network;
  readonly #members = new Map<string, Member>();
  readonly #servers: Server[] = [];
  #names: Socket | undefined;
  #closed = false;
  #filtering: Promise<void> = Promise.resolve();
  /** Why packets between machines are not filtered here; empty when they are. */
  whyUnfiltered = '';

  private constructor(network: Network, folder: string, authority: Authority) {
    this.#network = network;
    this.folder = folder;
    this.authority = authority;
  }

  /** `folder` keeps what machines write, and their consoles. */
  static async open(network: Network, folder: string): Promise<LinuxCloud> {
    mkdirSync(folder, { recursive: true });
    const cloud = new LinuxCloud(network, folder, await Authority.create(join(folder, 'authority')));
    await cloud.#open();
    return cloud;
  }

  async #open(): Promise<void> {
    mkdirSync(machinesFolder, { recursive: true });
    await command('mount', '-t', 'tmpfs', 'tmpfs', machinesFolder);
    await command('ip', 'link', 'set', 'lo', 'up');
    await command('ip', 'link', 'add', bridge, 'type', 'bridge');
    await command('ip', 'link', 'set', bridge, 'address', bridgeAddress, 'up');
    await this.#tryFilters();
    for (const address of [metadataAddress, resolverAddress, ...frontAddresses])
      await command('ip', 'address', 'add', `${address}/32`, 'dev', 'lo');
    await command('ip', 'route', 'add', 'default', 'dev', bridge);
    const secure = { SNICallback: (name: string, done: SniDone) => this.#secureContext(name, done) };
    await this.#listen(createHttp(this.#requests('http')), 80, metadataAddress);
    for (const address of frontAddresses) {
      await this.#listen(createHttp(this.#requests('http')), 80, address);
      await this.#listen(createHttps(secure, this.#requests('https')), 443, address);
    }
    this.#names = await serveNames(resolverAddress, (name, asker) => this.#addressOf(name, asker));
  }

  async #tryFilters(): Promise<void> {
    try {
      filterBridges();
      await loadRules(packetRules([], metadataAddress));
    } catch (error) {
      this.whyUnfiltered = `this kernel filters no packets of bridges: ${(error as Error).message}`;
    }
  }

  /** The security groups and hop limits of the machines that are there now; one set of rules after the other. */
  async filterPackets(): Promise<void> {
    if (this.whyUnfiltered !== '') return;
    this.#filtering = this.#filtering.then(() => {
      const machines = [...this.#members].flatMap(([address, { filter }]) =>
        filter === undefined ? [] : [{ address, ...filter() }],
      );
      return loadRules(packetRules(machines, metadataAddress));
    });
    await this.#filtering;
  }

  #secureContext(name: string, done: SniDone): void {
    this.authority.contextFor(name).then(
      (context) => done(null, context),
      (error: Error) => done(error),
    );
  }

  #listen(server: Server, port: number, address: string): Promise<void> {
    this.#servers.push(server);
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, address, resolve);
    });
  }

  #requests(protocol: 'http' | 'https'): RequestListener {
    return (incoming, outgoing) => {
      const member = this.#members.get(incoming.socket.remoteAddress ?? '');
      const handler: HttpHandler = async (request) => {
        try {
          return await member!.http({ ...request, protocol });
        } catch {
          // A connection that breaks on a simulated machine breaks here too.
          incoming.socket.destroy();
          return { status: 502, headers: {}, body: '' };
        }
      };
      if (member === undefined) incoming.socket.destroy();
      else void answer(handler, incoming, outgoing);
    };
  }

  /** Instances by the names that EC2 gives them; everything else by what the world's network knows. */
  #addressOf(name: string, asker: string): string | undefined {
    const own = /^ip-(\d+)-(\d+)-(\d+)-(\d+)\./.exec(name);
    if (own !== null) return own.slice(1).join('.');
    const member = this.#members.get(asker);
    if (member === undefined) return undefined;
    const origin = { kind: 'machine', name: member.container.spec.id, subnetIds: [member.subnetId] } as const;
    if (!this.#network.resolves(name, origin)) return undefined;
    return /\.amazonaws\.com$/i.test(name) ? awsAddress : othersAddress;
  }

  /** False when there is no cloud any more to be part of. */
  join(member: Member): boolean {
    if (!this.#closed) this.#members.set(member.container.spec.address, member);
    return !this.#closed;
  }

  leave({ spec }: Container): void {
    this.#members.delete(spec.address);
  }

  /** The containers that run. */
  containers(): readonly Container[] {
    return [...this.#members.values()].map(({ container }) => container);
  }

  /** That of an instance, while it runs. */
  container(instanceId: string): Container {
    const found = this.containers().find(({ spec }) => spec.id === instanceId);
    if (found === undefined) throw new Error(`no container runs for ${instanceId}`);
    return found;
  }

  controlGroupOf(instanceId: string): string {
    return join(this.#controlGroup, instanceId);
  }

  get #controlGroup(): string {
    return join(controlGroups()!, `${controlGroupPrefix}${basename(this.folder)}`);
  }

  /** Cuts the power of everything and takes the network down. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const container of this.containers()) container.cutPower();
    this.#names?.close();
    for (const server of this.#servers) {
      server.closeAllConnections();
      server.close();
    }
    while (this.#members.size > 0) await this.clock.sleep(50);
    await command('ip', 'link', 'del', bridge);
    for (const address of [metadataAddress, resolverAddress, ...frontAddresses])
      await command('ip', 'address', 'del', `${address}/32`, 'dev', 'lo');
    await command('umount', '--lazy', machinesFolder);
    removeControlGroup(this.#controlGroup);
  }
}

type SniDone = (error: Error | null, context?: import('node:tls').SecureContext) => void;
