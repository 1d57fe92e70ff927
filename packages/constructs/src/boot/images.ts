import type { Architecture } from './node-runtime.ts';

/** The distributions that instances can be launched from. */
export const imageFamilies = ['ubuntu-24.04', 'ubuntu-22.04', 'debian-12', 'debian-13'] as const;
export type ImageFamily = (typeof imageFamilies)[number];

const defaultImageFamily: ImageFamily = 'ubuntu-24.04';

interface Family {
  /** The public parameter that names the current image. */
  parameter(processor: 'amd64' | 'arm64'): string;
  readonly rootDeviceName: string;
  /** Whether AWS lists it, for both architectures (EC2 user guide, "Prerequisites for EC2 instance hibernation", AMIs). */
  readonly hibernates: boolean;
  /** Whether the agent of Systems Manager is in it (Systems Manager User Guide, "Find AMIs with the SSM Agent preinstalled"). */
  readonly remoteAgent: boolean;
}

const ubuntu = (release: string, volume: string) => (processor: string) =>
  `/aws/service/canonical/ubuntu/server/${release}/stable/current/${processor}/hvm/ebs-${volume}/ami-id`;

const debian = (release: string): Family => ({
  parameter: (processor) => `/aws/service/debian/release/${release}/latest/${processor}`,
  rootDeviceName: '/dev/xvda',
  hibernates: false,
  remoteAgent: false,
});

const families: Readonly<Record<ImageFamily, Family>> = {
  'ubuntu-24.04': {
    parameter: ubuntu('24.04', 'gp3'),
    rootDeviceName: '/dev/sda1',
    hibernates: false,
    remoteAgent: true,
  },
  'ubuntu-22.04': {
    parameter: ubuntu('22.04', 'gp2'),
    rootDeviceName: '/dev/sda1',
    hibernates: true,
    remoteAgent: true,
  },
  'debian-12': debian('12'),
  'debian-13': debian('13'),
};

interface ImageChoice {
  readonly imageFamily?: ImageFamily | undefined;
  readonly rootDeviceName?: string | undefined;
}

/** Distribution and root device of the instances. A wrong device would give them a second volume. */
export function imageDefaults({ imageFamily = defaultImageFamily, rootDeviceName }: ImageChoice) {
  return { imageFamily, rootDeviceName: rootDeviceName ?? families[imageFamily].rootDeviceName };
}

interface ImageSettings {
  readonly imageFamily: ImageFamily;
  readonly architecture: Architecture;
}

/** The public parameter in which the makers of a distribution publish its current image. */
export const imageParameter = ({ imageFamily, architecture }: ImageSettings): string =>
  families[imageFamily].parameter(architecture === 'arm64' ? 'arm64' : 'amd64');

/**
 * The package of Systems Manager's agent for a distribution that has none ("Manually install SSM Agent on Debian Server instances");
 * undefined where the image brings it.
 */
export function remoteAgentPackage(
  { imageFamily, architecture }: ImageSettings,
  { region, urlSuffix }: { readonly region: string; readonly urlSuffix: string },
): string | undefined {
  if (families[imageFamily].remoteAgent) return undefined;
  const processor = architecture === 'arm64' ? 'arm64' : 'amd64';
  return `https://s3.${region}.${urlSuffix}/amazon-ssm-${region}/latest/debian_${processor}/amazon-ssm-agent.deb`;
}

/** Families of instance types that hibernate, in the same list of AWS (read in November 2026). Bare metal does not. */
const hibernatingTypes = new Set(
  `m3 m4 m5 m5a m5ad m5d m6a m6g m6gd m6i m6id m6idn m6in m7a m7g m7gd m7i m7i-flex m8a m8azn m8g m8gb m8gd m8gn m8i m8i-flex t2 t3 t3a t4g
  c3 c4 c5 c5d c6a c6g c6gd c6gn c6i c6id c6in c7a c7g c7gd c7gn c7i c7i-flex c8a c8g c8gb c8gd c8gn c8i c8i-flex
  r3 r4 r5 r5a r5ad r5d r6a r6g r6gd r6idn r6in r7a r7g r7gd r7i r7iz r8a r8g r8gb r8gd r8gn r8i r8i-flex x2gd x8aedz x8i
  i3 i3en i4g i7i i7ie i8g i8ge im4gn is4gen`.split(/\s+/),
);

/** The image or instance type that AWS does not list as able to hibernate; undefined if it lists all of them. */
export function notHibernating(family: ImageFamily, instanceTypes: readonly string[]): string | undefined {
  if (!families[family].hibernates) return `the image ${family}`;
  return instanceTypes.find((type) => {
    const [name = '', size = ''] = type.split('.');
    return size.startsWith('metal') || !hibernatingTypes.has(name);
  });
}
