import type { Course, Observation } from '@drover/observation/api';
import { useContext } from 'preact/hooks';
import { ShowMessage } from '../controls.ts';
import { clockTime, timeOfDay } from '../words.ts';

interface CoursesProps {
  readonly courses: Observation['courses'];
  readonly travel: Observation['travel'];
}

const nameOf = ({ id }: Course): string => (id === 0 ? 'original' : `branch ${id}`);

/** Beside the name of the page: which timeline is seen. Without a branch there is only one. */
export const CoursePill = ({ courses }: Pick<CoursesProps, 'courses'>) =>
  courses === undefined ? null : (
    <p class={`course${courses.current.id === 0 ? '' : ' branch'}`} title="the timeline that you see">
      <strong>{nameOf(courses.current)}</strong>
    </p>
  );

/** The ways back to timelines that were left. */
export function Courses({ courses, travel }: CoursesProps) {
  const show = useContext(ShowMessage);
  if (courses === undefined || travel !== undefined) return null;
  const returnTo = async (course: Course) => {
    const done = await fetch(`/api/courses/${course.id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    }).catch(() => undefined);
    const text =
      done?.ok === true ? `The ${nameOf(course)} is being replayed.` : 'Not done: it cannot be replayed here.';
    show({ text, undo: undefined });
  };
  return (
    <section class="courses" aria-label="Timelines">
      <span>
        You are on the <strong>{nameOf(courses.current)}</strong>
        {courses.current.branchedAt !== undefined && `, which left at ${clockTime(courses.current.branchedAt)}`}.
      </span>
      {courses.others.map((course) => (
        <button type="button" onClick={() => returnTo(course)} key={course.id}>
          Return to the {nameOf(course)}
          {course.playedUntil !== undefined && ` (${timeOfDay(course.playedUntil)})`}
        </button>
      ))}
    </section>
  );
}
