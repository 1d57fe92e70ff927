import { DroverError, TransientError } from '@drover/core';

/** Makes the handler of a function from what it runs in. */
type Make<Runtime> = (runtime: Runtime) => (event: unknown) => Promise<void>;

/** Lambda shows the name and the message of an error and nothing else of it: what to do about it goes into the message. */
export function withRemedyInMessage<Runtime>(make: Make<Runtime>): Make<Runtime> {
  return (runtime) => {
    const handle = made(make, runtime);
    return async (event) => {
      try {
        await handle(event);
      } catch (error) {
        throw inFull(error);
      }
    };
  };
}

function made<Runtime>(make: Make<Runtime>, runtime: Runtime): ReturnType<Make<Runtime>> {
  try {
    return make(runtime);
  } catch (error) {
    throw inFull(error);
  }
}

/** Minified classes have no names of their own, so an error is given one that says whether trying again can help. */
function inFull(error: unknown): unknown {
  if (!(error instanceof DroverError)) return error;
  const message = error.remedy === undefined ? error.message : `${error.message}. What to do: ${error.remedy}`;
  const name = error instanceof TransientError ? 'TransientError' : 'TerminalError';
  return Object.assign(new Error(message, { cause: error }), { name });
}
