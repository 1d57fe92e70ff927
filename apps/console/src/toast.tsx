import { useEffect } from 'preact/hooks';
import { type Message, useControl } from './controls.ts';

const shownMs = 8_000;

/** The outcome of the last act, for a while, with a way to undo it. */
export function Toast({ message, dismiss }: { readonly message: Message | undefined; readonly dismiss: () => void }) {
  const send = useControl();
  useEffect(() => {
    if (message === undefined) return;
    const timer = setTimeout(dismiss, shownMs);
    return () => clearTimeout(timer);
  }, [message]);
  const undo = message?.undo;
  return (
    <div class={`toast${message === undefined ? '' : ' shown'}`}>
      <span role="status">{message?.text ?? ''}</span>
      {undo !== undefined && (
        <button type="button" onClick={() => send(undo, 'Undone.')}>
          Undo
        </button>
      )}
    </div>
  );
}
