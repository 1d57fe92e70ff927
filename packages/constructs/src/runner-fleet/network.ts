import { Aws } from 'aws-cdk-lib';
import { CfnVPCEndpoint } from 'aws-cdk-lib/aws-ec2';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { functionCode } from '../function-code.ts';
import type { RunnerFleetSettings } from './settings.ts';

type Network = Pick<RunnerFleetSettings, 'httpProxy' | 'httpsProxy' | 'noProxy' | 'caCertificates'>;

/** Never through a proxy: this machine, and the metadata service, which is a different one for each. */
const alwaysDirect = ['localhost', '127.0.0.1', '169.254.169.254', 'fd00:ec2::254'];
/** Debian and Ubuntu keep all trusted certificates in it, those of the input too. */
const systemStore = '/etc/ssl/certs/ca-certificates.crt';
const certificatesFile = 'ca-certificates.pem';

/** Variables of every program on an instance; empty without a proxy and without certificates. */
export const instanceEnvironment = (network: Network): Readonly<Record<string, string>> => ({
  ...proxyVariables(network),
  ...(network.caCertificates === undefined ? {} : { NODE_EXTRA_CA_CERTS: systemStore }),
});

/** The same for the functions, whose code Lambda unpacks to /var/task. */
export const functionNetwork = (network: Network): Readonly<Record<string, string>> => ({
  ...proxyVariables(network),
  ...(network.caCertificates === undefined ? {} : { NODE_EXTRA_CA_CERTS: `/var/task/${certificatesFile}` }),
});

/** Programs differ in which spelling they read. Node reads them since version 24, if configured to. */
function proxyVariables({ httpProxy, httpsProxy, noProxy = [] }: Network): Record<string, string> {
  if (httpProxy === undefined && httpsProxy === undefined) return {};
  const given = { http_proxy: httpProxy, https_proxy: httpsProxy, no_proxy: [...alwaysDirect, ...noProxy].join(',') };
  const both = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const, [name.toUpperCase(), value] as const],
  );
  return { ...Object.fromEntries(both), NODE_USE_ENV_PROXY: '1' };
}

/** Ports of the proxies, for the security group of the functions. */
export const proxyPorts = ({ httpProxy, httpsProxy }: Network): number[] =>
  [httpProxy, httpsProxy].flatMap((proxy) => (proxy === undefined ? [] : [Number(new URL(proxy).port || 80)]));

/** apt reads no environment when cloud-init or a timer calls it. */
export function aptProxy({ httpProxy, httpsProxy, noProxy = [] }: Network): string {
  const line = (scheme: string, host: string, proxy: string) => `Acquire::${scheme}::Proxy${host} "${proxy}";\n`;
  return Object.entries({ http: httpProxy, https: httpsProxy })
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([scheme, proxy]) => {
      const direct = noProxy.filter((host) => !host.startsWith('.'));
      return line(scheme, '', proxy) + direct.map((host) => line(scheme, `::${host}`, 'DIRECT')).join('');
    })
    .join('');
}

/** A function's bundle, with the certificates beside it that it trusts in addition to Node's own. */
export const networkedCode = (bundle: string, { caCertificates }: Network): Code =>
  functionCode(bundle, caCertificates === undefined ? {} : { [certificatesFile]: caCertificates });

/** The way to S3 that costs nothing, for the subnets of the route tables that were given. */
export function s3Endpoint(scope: Construct, { vpcId, s3RouteTableIds = [] }: RunnerFleetSettings): void {
  if (s3RouteTableIds.length === 0) return;
  new CfnVPCEndpoint(scope, 'S3Endpoint', {
    vpcId,
    vpcEndpointType: 'Gateway',
    serviceName: `com.amazonaws.${Aws.REGION}.s3`,
    routeTableIds: [...s3RouteTableIds],
  });
}
