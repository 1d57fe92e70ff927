import { useEffect, useState } from 'preact/hooks';
import { ClockBar } from './clock-bar.tsx';
import { ClusterView } from './cluster/cluster-view.tsx';
import { ShowMessage } from './controls.ts';
import { Events } from './events.tsx';
import { FleetView } from './fleet/fleet-view.tsx';
import { useLiveState } from './live.ts';

const views = ['Fleet', 'Cluster', 'Events'] as const;
type View = (typeof views)[number];

const viewInAddress = (): View => views.find((view) => `#${view.toLowerCase()}` === location.hash) ?? 'Fleet';

export function Page() {
  const { state, connected } = useLiveState();
  const [view, setView] = useState<View>(viewInAddress);
  const [message, setMessage] = useState('');
  useEffect(() => {
    const follow = () => setView(viewInAddress());
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  useEffect(() => {
    if (performance.getEntriesByName('update-begin').length === 0) return;
    performance.measure('update', 'update-begin');
    performance.clearMarks('update-begin');
  });
  if (state === undefined) return <main class="loading">{connected ? 'Loading' : 'Connecting to drover local'}…</main>;
  return (
    <ShowMessage.Provider value={setMessage}>
      <header>
        <h1>Drover local</h1>
        <nav aria-label="Views">
          {views.map((name) => (
            <a href={`#${name.toLowerCase()}`} aria-current={view === name ? 'page' : undefined} key={name}>
              {name}
            </a>
          ))}
        </nav>
        <ClockBar clock={state.clock} connected={connected} />
      </header>
      <p class="message" role="status">
        {message}
      </p>
      <main>
        {view === 'Fleet' && <FleetView fleet={state.fleet} platform={state.platform} now={state.clock.now} />}
        {view === 'Cluster' && <ClusterView cluster={state.cluster} now={state.clock.now} />}
        {view === 'Events' && <Events events={state.events} />}
      </main>
    </ShowMessage.Provider>
  );
}
