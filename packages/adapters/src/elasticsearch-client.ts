/** The client of Elasticsearch, without the ports that are built on it: a command that only prints a response loads no more. */
export {
  readAll,
  type SearchAnswer,
  SearchClient,
  type SearchClientOptions,
} from './elasticsearch/client/client.ts';
export { answeredError, SearchError } from './elasticsearch/client/errors.ts';
export { basicAuth, type Login, loginWith } from './elasticsearch/client/login.ts';
export type { ExchangeRequest, ExchangeResponse, HttpExchange } from './http/exchange.ts';
export { socketExchange } from './http/socket-exchange.ts';
