import { type DroverIo, pause } from '../io.ts';

const clearScreen = '\u001b[H\u001b[2J';

/** Reruns a command until Ctrl-C, overwriting its previous output. */
export async function again(
  io: DroverIo,
  { watch }: { readonly watch?: number | undefined },
  run: (io: DroverIo) => Promise<number>,
): Promise<number> {
  if (watch === undefined) return await run(io);
  for (;;) {
    let printed = '';
    const stdout = (text: string) => {
      printed += text;
    };
    const code = await run({ ...io, stdout });
    io.stdout(io.terminal?.colour === true ? `${clearScreen}${printed}` : `${printed}\n`);
    if (!(await pause(io, watch * 1_000))) return code;
  }
}
