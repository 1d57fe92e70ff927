import { createSocket, type Socket } from 'node:dgram';

/** RFC 1035, section 4.1.1: the response code of a name that does not exist. */
const noSuchName = 3;
const typeA = 1;
const secondsToLive = 5;

interface Question {
  readonly name: string;
  readonly type: number;
  /** As it was sent: name, type, class. */
  readonly bytes: Buffer;
}

function questionOf(query: Buffer): Question {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return {
    name: labels.join('.').toLowerCase(),
    type: query.readUInt16BE(at + 1),
    bytes: query.subarray(12, at + 5),
  };
}

/** The response to one DNS query. A name has one IPv4 address or does not exist; it never has another record. */
export function resolve(query: Buffer, addressOf: (name: string) => string | undefined): Buffer {
  const { name, type, bytes } = questionOf(query);
  const address = addressOf(name);
  const found = address !== undefined && type === typeA;
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  // A response to a recursive query, with recursion.
  header.writeUInt16BE(0x8180 | (address === undefined ? noSuchName : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(found ? 1 : 0, 6);
  return Buffer.concat([header, bytes, ...(found ? [recordOf(address)] : [])]);
}

function recordOf(address: string): Buffer {
  const record = Buffer.alloc(16);
  record.writeUInt16BE(0xc00c, 0); // The name of the question.
  record.writeUInt16BE(typeA, 2);
  record.writeUInt16BE(1, 4); // Internet
  record.writeUInt32BE(secondsToLive, 6);
  record.writeUInt16BE(4, 10);
  for (const [at, part] of address.split('.').entries()) record[12 + at] = Number(part);
  return record;
}

/** The resolver of the cloud, on a socket. `addressOf` gets the caller's address. */
export function serveNames(
  address: string,
  addressOf: (name: string, asker: string) => string | undefined,
): Promise<Socket> {
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    socket.send(
      resolve(query, (name) => addressOf(name, from.address)),
      from.port,
      from.address,
    );
  });
  return new Promise((done, fail) => {
    socket.once('error', fail);
    socket.bind(53, address, () => done(socket));
  });
}
