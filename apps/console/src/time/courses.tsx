import type { Course, Incident, Observation } from '@drover/observation/api';
import { clockTime, counted, timeOfDay } from '../words.ts';
import { useReturn } from './branch.ts';

interface CoursesProps {
  readonly courses: Observation['courses'];
  readonly travel: Observation['travel'];
  /** Of the timeline that is seen. */
  readonly incidents: readonly Incident[];
}

const nameOf = ({ id }: Course): string => (id === 0 ? 'original' : `branch ${id}`);

/** Beside the name of the page: which timeline is seen. Without a branch there is only one. */
export const CoursePill = ({ courses }: Pick<CoursesProps, 'courses'>) =>
  courses === undefined ? null : (
    <p class={`course${courses.current.id === 0 ? '' : ' branch'}`} title="the timeline that you see">
      <strong>{nameOf(courses.current)}</strong>
    </p>
  );

/** The timeline that is seen beside the one that it is compared with, and the ways back to all that were left. */
export function Courses({ courses, travel, incidents }: CoursesProps) {
  const returnTo = useReturn();
  if (courses === undefined || travel !== undefined) return null;
  const { current, others } = courses;
  const other = current.id === 0 ? others.at(-1) : others[0];
  const parted = Math.min(...[current, other].flatMap((course) => course?.branchedAt ?? []));
  return (
    <section class="courses" aria-label="Timelines">
      <div class="compared">
        <CourseSummary title={`You see: ${nameOf(current)}`} incidents={incidents} since={parted} />
        {other?.incidents !== undefined && (
          <CourseSummary title={`Left: ${nameOf(other)}`} incidents={other.incidents} since={parted} />
        )}
      </div>
      <p class="acts">
        <span>They are one until {clockTime(parted)}.</span>
        {others.map((course) => (
          <button type="button" onClick={() => returnTo(course.id, nameOf(course))} key={course.id}>
            Return to the {nameOf(course)}
            {course.playedUntil !== undefined && ` (${timeOfDay(course.playedUntil)})`}
          </button>
        ))}
      </p>
    </section>
  );
}

const listed = 3;

interface SummaryProps {
  readonly title: string;
  readonly incidents: readonly Incident[];
  readonly since: number;
}

/** The verdicts of a timeline since it parted from the other, the newest first. */
function CourseSummary({ title, incidents, since }: SummaryProps) {
  const own = incidents.filter(({ openedAt }) => openedAt >= since);
  const counts = (['bad', 'fair', 'good', 'open'] as const)
    .map((state) => [own.filter(({ verdict }) => verdict.state === state).length, state] as const)
    .filter(([count]) => count > 0)
    .map(([count, state]) => `${count} ${words[state]}`);
  return (
    <section class="course-summary">
      <h3>
        {title} <small>{own.length === 0 ? 'no incident since' : counts.join(', ')}</small>
      </h3>
      <ul class="earlier">
        {own.slice(0, listed).map(({ id, openedAt, title: what, verdict }) => (
          <li class={verdict.state} key={id}>
            <time>{timeOfDay(openedAt)}</time> {what} {verdict.text}
          </li>
        ))}
        {own.length > listed && <li>and {counted(own.length - listed, 'earlier one')}</li>}
      </ul>
    </section>
  );
}

const words = { bad: 'ended badly', fair: 'ended as well as can be', good: 'ended well', open: 'under way' } as const;
