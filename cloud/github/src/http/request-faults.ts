import type { Engine, HttpResponse } from '@drover/cloud-engine';
import { never, type Origin } from '@drover/cloud-engine';
import { textAnswer } from './responses.ts';

type StruckRequest =
  | { readonly kind: 'error'; readonly status?: number; readonly phase?: 'before' | 'after' }
  | { readonly kind: 'timeout' | 'kill'; readonly phase?: 'before' | 'after' };

/** The fault that strikes this request, after the delay that a `slow` fault asks for. */
export async function strikeRequest(
  engine: Engine,
  operation: string,
  origin: Origin,
): Promise<StruckRequest | undefined> {
  const point = { service: 'platform', operation, subject: origin.name };
  const slow = engine.faults.strike(point, ['slow']);
  if (slow !== undefined) await engine.clock.sleep(slow.ms);
  const effect = engine.faults.strike(point, ['error', 'timeout', 'kill', 'throttle']);
  return effect?.kind === 'throttle' ? { kind: 'error', status: 429 } : effect;
}

/** The caller's side of a fault. An outage responds as GitHub's front does: a page for people, not JSON. */
export async function failRequest(effect: StruckRequest, origin: Origin): Promise<HttpResponse> {
  if (effect.kind === 'error')
    return (effect.status ?? 502) < 500 ? refusal(effect.status!) : outagePage(effect.status ?? 502);
  if (effect.kind === 'kill') origin.process?.kill('injected fault');
  return await never;
}

const rateLimits = 'rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits';

const words: Readonly<Record<number, { readonly message: string; readonly page: string }>> = {
  401: { message: 'Bad credentials', page: 'rest' },
  403: { message: 'Resource not accessible by integration', page: 'rest' },
  404: { message: 'Not Found', page: 'rest' },
  429: {
    message: 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
    page: rateLimits,
  },
};

function refusal(status: number): HttpResponse {
  const { message, page } = words[status] ?? { message: `Injected error ${status}`, page: 'rest' };
  const wait: Record<string, string> = status === 429 ? { 'retry-after': '60' } : {};
  const body = { message, documentation_url: `https://docs.github.com/${page}`, status: String(status) };
  return textAnswer(status, JSON.stringify(body), wait);
}

const outagePage = (status: number): HttpResponse => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: '<!DOCTYPE html><html><head><title>Unicorn!</title></head><body>We had issues producing the response to your request.</body></html>',
});
