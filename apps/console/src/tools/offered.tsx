import { useContext } from 'preact/hooks';
import { ReadOnly, useControl } from '../controls.ts';
import { ConfirmButton } from './confirm-button.tsx';
import type { Offer } from './offers.ts';

/** The buttons of what can be done to a thing. */
export function Offered({ offers }: { readonly offers: readonly Offer[] }) {
  if (useContext(ReadOnly) || offers.length === 0) return null;
  return (
    <p class="acts">
      {offers.map((offer) => (
        <OfferButton offer={offer} key={`${offer.about} ${offer.act[0]}`} />
      ))}
    </p>
  );
}

function OfferButton({ offer }: { readonly offer: Offer }) {
  const { title, label = title, act, done, undo, question, on = false, harmless = false } = offer;
  const send = useControl();
  if (question !== undefined)
    return <ConfirmButton label={label} name={title} question={question} act={act} done={done} />;
  return (
    <button
      type="button"
      class={on || harmless ? undefined : 'danger'}
      aria-pressed={undo === undefined ? undefined : on}
      onClick={() => send(act, done, undo)}
    >
      {label}
    </button>
  );
}
