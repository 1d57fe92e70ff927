import type { ExchangeResponse, HttpExchange } from '../exchange.ts';
import { Conversation } from './conversation.ts';
import { requestText } from './request-text.ts';

/**
 * Exchanges over plain HTTP on bare sockets. `node:http` costs a short command as much as all the rest of it, to load and
 * with every chunk; here every read of an answer goes into the same buffer (docs/decisions/0008).
 */
export const bareExchange: HttpExchange = async (request) => {
  const text = requestText(request);
  return await new Promise<ExchangeResponse>((resolve, reject) =>
    new Conversation(request, resolve, reject).send(text),
  );
};
