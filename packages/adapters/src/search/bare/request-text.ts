import type { ExchangeRequest } from '../exchange.ts';

/** The head of a request as it is sent. The connection serves for this one only. */
export function requestText({ method, path, query, headers, body }: ExchangeRequest): string {
  const target = query === '' ? path : `${path}?${query}`;
  const fields = Object.entries({ ...headers, ...lengthOf(method, body), connection: 'close' });
  return `${method} ${checkedTarget(target)} HTTP/1.1\r\n${fields.map(fieldLine).join('')}\r\n`;
}

/** Methods that usually have a body say that there is none. */
function lengthOf(method: string, body: Uint8Array): Record<string, string> {
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && body.length === 0 ? {} : { 'content-length': String(body.length) };
}

/** A space or a line end would begin something else; the codes are those of `node:http`. */
function checkedTarget(target: string): string {
  if (/[^\x21-\xff]/.test(target))
    throw Object.assign(new TypeError('the path contains characters that must be escaped'), {
      code: 'ERR_UNESCAPED_CHARACTERS',
    });
  return target;
}

function fieldLine([name, value]: readonly [string, string]): string {
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
    throw Object.assign(new TypeError(`the header ${name} contains characters that it cannot`), {
      code: 'ERR_INVALID_CHAR',
    });
  return `${name}: ${value}\r\n`;
}
