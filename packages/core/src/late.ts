/**
 * Something that is loaded when it is first asked for. Asking again answers without the loader of modules, which takes
 * real time even for what it has: a simulation that has asked once moves in steps of its own clock only. What could not
 * be loaded is tried again when it is asked for next.
 */
export function late<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}
