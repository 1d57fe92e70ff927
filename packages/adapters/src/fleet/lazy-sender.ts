interface Sender {
  // biome-ignore lint/suspicious/noExplicitAny: every client's `send` has overloads of its own
  send(...args: any[]): any;
}

/** A client that is made when it sends for the first time: making one costs more than a call. */
export function lazySender<Client extends Sender>(make: () => Client): Pick<Client, 'send'> {
  let client: Client | undefined;
  const send = (...args: Parameters<Client['send']>) => {
    client ??= make();
    return client.send(...args);
  };
  return { send } as Pick<Client, 'send'>;
}
