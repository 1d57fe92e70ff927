import { useEffect, useState } from 'preact/hooks';

/** The pages beside the scene, each with its title. */
export const pages = {
  scene: 'Scene',
  jobs: 'Jobs',
  shards: 'Shards',
  alarms: 'Alarms',
  functions: 'Functions',
  snapshots: 'Snapshots',
  events: 'Events',
  'what-if': 'What if',
} as const;
export type PageName = keyof typeof pages;

/** Subjects that can be opened beside any page. */
const subjects = ['instance', 'node', 'job', 'incident', 'zone', 'platform'] as const;
type Subject = (typeof subjects)[number];

/**
 * The page's address: `#/<page>`, `#/<page>/<subject>/<id>` with something opened, or `#/what-if/<id>` with a result.
 */
export interface Route {
  readonly page: PageName;
  readonly subject: Subject | undefined;
  readonly id: string;
}

export function readRoute(hash: string): Route {
  const [page = '', subject, id = ''] = hash.replace(/^#\/?/, '').split('/');
  const known = subjects.some((one) => one === subject);
  return {
    page: page in pages ? (page as PageName) : 'scene',
    subject: known ? (subject as Subject) : undefined,
    id: decodeURIComponent(known ? id : (subject ?? '')),
  };
}

export const addressOf = (page: PageName, about?: string): string =>
  about === undefined ? `#/${page}` : `#/${page}/${about}`;

/** The address of something, opened beside the page that is shown now. */
export const addressHere = (about: string): string => addressOf(readRoute(location.hash).page, about);

export function useRoute(): Route {
  const [route, setRoute] = useState(() => readRoute(location.hash));
  useEffect(() => {
    const follow = () => setRoute(readRoute(location.hash));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return route;
}
