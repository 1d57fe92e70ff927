import type { Observation } from '@drover/observation/api';
import { useEffect, useRef, useState } from 'preact/hooks';
import { addressHere, addressOf, type PageName, pages } from './route.ts';

interface Entry {
  readonly title: string;
  readonly address: string;
}

const shown = 12;

/** Everything that can be opened, found by a few letters: Ctrl-K or the slash key. */
export function Palette({ state }: { readonly state: Observation }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [words, setWords] = useState('');
  const [chosen, setChosen] = useState(0);
  const open = () => {
    setWords('');
    setChosen(0);
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
  const found =
    dialog.current?.open === true || words !== '' ? entriesOf(state).filter(matching(words)).slice(0, shown) : [];
  const go = (entry: Entry | undefined) => {
    if (entry !== undefined) location.hash = entry.address;
    dialog.current?.close();
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => setChosen(Math.min(found.length - 1, chosen + 1)),
    ArrowUp: () => setChosen(Math.max(0, chosen - 1)),
    Enter: () => go(found[chosen]),
  };
  return (
    <>
      <button type="button" onClick={open}>
        Find <kbd>Ctrl K</kbd>
      </button>
      <dialog ref={dialog} class="palette" aria-label="Find">
        <input
          type="search"
          aria-label="Instance, node, job, incident or view"
          value={words}
          onInput={({ currentTarget }) => {
            setWords(currentTarget.value);
            setChosen(0);
          }}
          onKeyDown={(event) => {
            const act = keys[event.key];
            if (act === undefined) return;
            event.preventDefault();
            act();
          }}
        />
        <ul>
          {found.map((entry, index) => (
            <li class={index === chosen ? 'chosen' : undefined} key={entry.address}>
              <a href={entry.address} onClick={() => dialog.current?.close()}>
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

function entriesOf({ fleet, cluster, incidents }: Observation): readonly Entry[] {
  return [
    ...(Object.keys(pages) as PageName[]).map((page) => ({ title: `view ${pages[page]}`, address: addressOf(page) })),
    ...incidents.map(({ id, title }) => ({ title: `incident ${title}`, address: addressHere(`incident/${id}`) })),
    ...fleet.instances.map(({ id }) => ({ title: `instance ${id}`, address: addressHere(`instance/${id}`) })),
    ...cluster.nodes.map(({ instanceId, name }) => ({
      title: `node ${name} ${instanceId}`,
      address: addressHere(`node/${instanceId}`),
    })),
    ...fleet.jobs.map(({ id, state }) => ({ title: `job ${id} ${state}`, address: addressHere(`job/${id}`) })),
  ];
}
