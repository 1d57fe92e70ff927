/** A still picture of an animation, and for how long it is shown. */
export interface Frame {
  /** A WebP file, lossy and without transparency, as Chromium writes a screenshot. */
  readonly file: Uint8Array;
  readonly ms: number;
}

/**
 * Puts pictures of one size one after the other into an animated WebP, shown again and again
 * (https://developers.google.com/speed/webp/docs/riff_container): each keeps its own compression, so no encoder is needed.
 */
export function animatedWebp(
  frames: readonly Frame[],
  size: { readonly width: number; readonly height: number },
): Buffer {
  const animation = 0b10;
  const header = chunk(
    'VP8X',
    Buffer.concat([Buffer.of(animation, 0, 0, 0), uint24(size.width - 1), uint24(size.height - 1)]),
  );
  const forEver = 0;
  const loop = chunk('ANIM', Buffer.of(255, 255, 255, 255, forEver, 0));
  const doNotBlend = 0b10;
  const parts = merged(frames).map(({ file, ms }) =>
    chunk(
      'ANMF',
      Buffer.concat([
        uint24(0),
        uint24(0),
        uint24(size.width - 1),
        uint24(size.height - 1),
        uint24(ms),
        Buffer.of(doNotBlend),
        bitstream(file),
      ]),
    ),
  );
  return chunk('RIFF', Buffer.concat([Buffer.from('WEBP'), header, loop, ...parts]));
}

/** Equal pictures one after the other are one. */
function merged(frames: readonly Frame[]): Frame[] {
  const kept: Frame[] = [];
  for (const frame of frames) {
    const last = kept.at(-1);
    if (last === undefined || Buffer.compare(last.file, frame.file) !== 0) kept.push(frame);
    else kept[kept.length - 1] = { ...last, ms: last.ms + frame.ms };
  }
  return kept;
}

/** The chunk with the compressed picture. */
function bitstream(file: Uint8Array): Buffer {
  const bytes = Buffer.from(file);
  for (let at = 12; at + 8 <= bytes.length; ) {
    const name = bytes.toString('latin1', at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    const end = at + 8 + length + (length % 2);
    if (name === 'VP8 ' || name === 'VP8L') return bytes.subarray(at, end);
    at = end;
  }
  throw new Error('a frame is not a WebP picture');
}

function chunk(name: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, 'latin1');
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}

function uint24(value: number): Buffer {
  const bytes = Buffer.alloc(3);
  bytes.writeUIntLE(value, 0, 3);
  return bytes;
}
