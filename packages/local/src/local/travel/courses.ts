import type { Observation } from '@drover/observation/api';
import type { Session } from '../session.ts';
import { lastFrame } from './frames.ts';

/** The courses of a session that was branched, those that were left with what came of them. They change only when another world takes over. */
export function coursesOf(session: Session): Observation['courses'] {
  const left = session.otherCourses;
  if (left.length === 0) return undefined;
  const others = left.map((course) => ({
    ...course,
    incidents: lastFrame(session.folderOf(course.id))?.incidents.map((incident) => ({ ...incident, steps: [] })),
  }));
  return { current: session.course, others };
}
