import { useContext, useRef } from 'preact/hooks';
import { type Act, ReadOnly, useControl } from '../controls.ts';

interface ConfirmProps {
  readonly label: string;
  /** For screen readers, where the label alone says too little. */
  readonly name?: string;
  readonly question: string;
  readonly act: Act;
  readonly done: string;
}

/** A button for what cannot be undone: it asks first. */
export function ConfirmButton({ label, name, question, act, done }: ConfirmProps) {
  const send = useControl();
  const dialog = useRef<HTMLDialogElement>(null);
  if (useContext(ReadOnly)) return null;
  return (
    <>
      <button type="button" class="danger" aria-label={name} onClick={() => dialog.current?.showModal()}>
        {label}
      </button>
      <dialog ref={dialog} aria-label={name ?? label}>
        <p>{question}</p>
        <form method="dialog">
          <button type="submit">Cancel</button>
          <button type="submit" class="danger" onClick={() => send(act, done)}>
            {label} now
          </button>
        </form>
      </dialog>
    </>
  );
}
