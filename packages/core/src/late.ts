/**
 * Something that is loaded when it is first asked for. Asking again answers without the loader of modules, which takes
 * real time even for what it has: a simulation that has asked once moves in steps of its own clock only.
 */
export function late<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load();
    return loading;
  };
}
