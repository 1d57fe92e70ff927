import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';

/**
 * Options of an HTTP agent that sends through the proxy of `https_proxy`, `http_proxy` and `no_proxy`. Node 24 does
 * this for its own agents and `fetch` when `NODE_USE_ENV_PROXY` is 1; agents that a program makes need the setting
 * (Node, "Built-in Proxy Support").
 */
export const envProxy = (env: NodeJS.ProcessEnv = process.env): { readonly proxyEnv?: NodeJS.ProcessEnv } =>
  env.NODE_USE_ENV_PROXY === '1' ? { proxyEnv: env } : {};

/**
 * Settings of an SDK client that sends through that proxy, if there is one: its own agents do not read those variables
 * either.
 */
export function sdkProxy(): { readonly requestHandler?: object } {
  const proxy = envProxy();
  if (proxy.proxyEnv === undefined) return {};
  const options = { keepAlive: true, maxSockets: 50, ...proxy };
  return { requestHandler: { httpAgent: new HttpAgent(options), httpsAgent: new HttpsAgent(options) } };
}
