import type { Observation } from '@drover/observation/api';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useControl } from './controls.ts';
import { addressHere, addressOf, type PageName, pages } from './route.ts';
import { type Offer, offersOf } from './tools/offers.ts';

/** Something to open, or to do. */
interface Entry {
  readonly title: string;
  readonly address: string;
  readonly offer?: Offer;
}

const shown = 12;

interface PaletteProps {
  readonly state: Observation;
  /** Things can be done here, and now. */
  readonly acts: boolean;
}

/** Everything that can be opened or done, found by a few letters: Ctrl-K or the slash key. */
export function Palette({ state, acts }: PaletteProps) {
  const send = useControl();
  const dialog = useRef<HTMLDialogElement>(null);
  const [words, setWords] = useState('');
  const [chosen, setChosen] = useState(0);
  const [asked, setAsked] = useState<Offer | undefined>();
  const [isOpen, setOpen] = useState(false);
  const open = () => {
    setWords('');
    setChosen(0);
    setAsked(undefined);
    setOpen(true);
    dialog.current?.showModal();
  };
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const palette = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
      if (!palette && !(event.key === '/' && event.target === document.body)) return;
      event.preventDefault();
      open();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
  const found = isOpen ? entriesOf(state, acts).filter(matching(words)).slice(0, shown) : [];
  const act = ({ act: what, done, undo }: Offer) => {
    dialog.current?.close();
    void send(what, done, undo);
  };
  const go = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    if (entry.offer?.question !== undefined) return setAsked(entry.offer);
    if (entry.offer !== undefined) return act(entry.offer);
    location.hash = entry.address;
    dialog.current?.close();
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => setChosen(Math.min(found.length - 1, chosen + 1)),
    ArrowUp: () => setChosen(Math.max(0, chosen - 1)),
    Enter: () => go(found[chosen]),
    // Of a search field it would empty the field first.
    Escape: () => dialog.current?.close(),
  };
  return (
    <>
      <button type="button" class="find" onClick={open}>
        <span class="words">
          Find <kbd>Ctrl K</kbd>
        </span>
      </button>
      <dialog ref={dialog} class="palette" aria-label="Find" onClose={() => setOpen(false)}>
        {asked !== undefined && (
          <div class="asked">
            <p>{asked.question}</p>
            <p class="acts">
              <button type="button" onClick={() => setAsked(undefined)}>
                Cancel
              </button>
              <button type="button" class="danger" onClick={() => act(asked)}>
                {asked.label ?? asked.title} now
              </button>
            </p>
          </div>
        )}
        <input
          type="search"
          aria-label="Instance, node, job, incident, view, or what to do"
          placeholder="lose, refresh, terminate, job 12, …"
          value={words}
          onInput={({ currentTarget }) => {
            setWords(currentTarget.value);
            setChosen(0);
            setAsked(undefined);
          }}
          onKeyDown={(event) => {
            const pressed = keys[event.key];
            if (pressed === undefined) return;
            event.preventDefault();
            pressed();
          }}
        />
        {isOpen && found.length === 0 && <p role="status">Nothing has these words.</p>}
        <ul>
          {found.map((entry, index) => (
            <li class={index === chosen ? 'chosen' : undefined} key={entry.title}>
              <a
                href={entry.address}
                class={entry.offer === undefined || entry.offer.harmless || entry.offer.on ? undefined : 'danger'}
                onClick={(event) => {
                  event.preventDefault();
                  go(entry);
                }}
              >
                {entry.title}
              </a>
            </li>
          ))}
        </ul>
      </dialog>
    </>
  );
}

const matching =
  (words: string) =>
  ({ title }: Entry) =>
    words
      .toLowerCase()
      .split(' ')
      .every((word) => title.toLowerCase().includes(word));

function entriesOf(state: Observation, acts: boolean): readonly Entry[] {
  const { fleet, cluster, incidents } = state;
  const offers = acts ? offersOf(state) : [];
  return [
    ...offers.map((offer) => ({ title: offer.title, address: addressHere(offer.about), offer })),
    ...(Object.keys(pages) as PageName[]).map((page) => ({ title: `view ${pages[page]}`, address: addressOf(page) })),
    ...incidents.map(({ id, title }) => ({ title: `incident ${title}`, address: addressHere(`incident/${id}`) })),
    ...fleet.instances.map(({ id }) => ({ title: `instance ${id}`, address: addressHere(`instance/${id}`) })),
    ...cluster.nodes.map(({ instanceId, name }) => ({
      title: `node ${name} ${instanceId}`,
      address: addressHere(`node/${instanceId}`),
    })),
    ...fleet.jobs.map(({ id, state: is }) => ({ title: `job ${id} ${is}`, address: addressHere(`job/${id}`) })),
  ];
}
