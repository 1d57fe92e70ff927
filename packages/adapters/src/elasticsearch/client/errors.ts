import { TerminalError, TransientError } from '@drover/core/errors';

/** Elasticsearch returned an error. */
export class SearchError extends TerminalError {
  readonly status: number;
  /** Elasticsearch's own name of the error, e.g. `security_exception`. */
  readonly type: string | undefined;

  constructor(message: string, status: number, type: string | undefined, remedy?: string) {
    super(message, remedy === undefined ? {} : { remedy });
    this.status = status;
    this.type = type;
  }
}

/** A response that cannot be understood; it never counts as success. */
export class UnreadableAnswer extends TransientError {}

interface Address {
  readonly protocol: string;
  readonly host: string;
}

/** Describes in one sentence what went wrong on the way to Elasticsearch, with a remedy. */
export function connectionError(error: unknown, { protocol, host }: Address): Error {
  const code = (error as { code?: string }).code ?? '';
  const at = `Elasticsearch at ${protocol}://${host}`;
  const cause = { cause: error };
  if (code === 'ECONNREFUSED')
    return new TransientError(`cannot reach ${at}: connection refused`, {
      ...cause,
      remedy: 'is it running there? Check --es-host and --es-port',
    });
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new TransientError(`cannot reach ${at}: the host name is unknown`, { ...cause, remedy: 'check --es-host' });
  if (code === 'ECONNRESET' || code === 'EPIPE')
    return new TransientError(`${at} closed the connection before the response was complete`, {
      ...cause,
      remedy: resetRemedy(protocol),
    });
  if (code.startsWith('HPE_'))
    return new TerminalError(`${at} does not speak HTTP`, {
      ...cause,
      remedy: 'check --es-port; for TLS use --es-protocol https',
    });
  return tlsError(code, at) ?? new TransientError(`cannot reach ${at}`, cause);
}

const resetRemedy = (protocol: string) =>
  protocol === 'http'
    ? 'does it ask for TLS? Then use --es-protocol https'
    : 'does it speak plain HTTP? Then use --es-protocol http';

/** Codes of Node's TLS; nothing is sent to a server that is not trusted. */
function tlsError(code: string, at: string): Error | undefined {
  if (code === 'EPROTO' || code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code.startsWith('ERR_SSL_PACKET'))
    return new TerminalError(`${at} does not speak TLS`, { remedy: 'use --es-protocol http' });
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return new TerminalError(`the certificate of ${at} is for another name`, {
      remedy: 'use the name in the certificate as --es-host',
    });
  if (code === 'CERT_HAS_EXPIRED')
    return new TerminalError(`the certificate of ${at} has expired`, { remedy: 'renew it' });
  if (/^(DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/.test(code))
    return new TerminalError(`the certificate of ${at} is not signed by an authority that we trust (${code})`, {
      remedy: 'put the path of the CA certificate into CLUSTER_CLI_CA_FILE',
    });
  return undefined;
}

/** The error in a response with status 400 or above. */
export function answeredError(status: number, body: string, what: string): Error {
  const { type, reason } = reasonIn(body);
  const message = `${what}: Elasticsearch returned ${status}${reason === undefined ? '' : `: ${reason}`}`;
  if (status === 429 || status === 408 || status >= 500)
    return new TransientError(message, {
      cause: new SearchError(message, status, type),
      ...(status === 503 ? { remedy: noMaster } : {}),
    });
  return new SearchError(message, status, type, remedyOf(status));
}

const noMaster =
  'no master is elected, or the node is starting: try again in a minute, then see which masters are gone (drover cluster doctor)';

const remedyOf = (status: number): string | undefined => {
  if (status === 401)
    return 'check --username and the password (--password, --password-secret, the facts file or CLUSTER_CLI_PASSWORD)';
  if (status === 403) return 'log in as a user with more privileges: --username elastic';
  return undefined;
};

/** `type` and `reason` of Elasticsearch's error document; root causes say more than wrappers. */
function reasonIn(body: string): { type: string | undefined; reason: string | undefined } {
  try {
    const { error } = JSON.parse(body) as { error?: unknown };
    if (typeof error === 'string') return { type: undefined, reason: error };
    const { type, reason, caused_by } = (error ?? {}) as {
      type?: string;
      reason?: string;
      caused_by?: { reason?: string };
    };
    const tail = caused_by?.reason !== undefined && !reason?.includes(caused_by.reason) ? `: ${caused_by.reason}` : '';
    return { type, reason: reason === undefined ? undefined : `${reason}${tail}` };
  } catch {
    return { type: undefined, reason: undefined };
  }
}
