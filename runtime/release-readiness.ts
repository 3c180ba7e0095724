/** Whether a server works with the database as it is now, by the releases that are recorded there. */
import { compatibilitySchema } from '../compiler/definition/migration.ts';
import type { Readiness } from './observe/readiness.ts';
import {
  type DatabaseRelease,
  type DatabaseView,
  type ImageRelease,
  type Standing,
  shortRevision,
  standingOf,
  withdrawalOf,
} from './query/database-release.ts';

/** `view` is null where the database has no ledger of releases. */
export function releaseReadiness(image: ImageRelease, view: DatabaseView | null): Readiness {
  const database = view?.release;
  if (!view || !database) return { ready: false, reason: 'The database has no release yet. Run `migrate` first.' };
  const standing = standingOf(image, database);
  const reason =
    otherHistory(standing, image, view) ??
    NOT_READY[standing]?.(image, database) ??
    withoutSearchPath(standing, image, view);
  if (reason !== null) return { ready: false, reason };
  const { position, pendingSteps } = database;
  const detail = READY[standing]?.(image, database) ?? null;
  const pending = pendingSteps > 0 ? { pending: { release: position, steps: pendingSteps } } : {};
  return {
    ready: true,
    about: { release: image.position, databaseRelease: position, ...pending, ...(detail === null ? {} : { detail }) },
  };
}

type Sentence = (image: ImageRelease, database: DatabaseRelease) => string | null;

const NOT_READY: Readonly<Partial<Record<Standing, Sentence>>> = {
  withdrawn: (image, database) => {
    const by = withdrawalOf(image, database)?.by ?? null;
    const at = `The database is at release ${database.position}: release ${image.position}, which this image is,`;
    return by === null
      ? `${at} is being withdrawn by a later release. Use the image of that release.`
      : `${at} was withdrawn by ${shortRevision(by)}. Use the image of that revision or a later one.`;
  },
  behind: (image, { position }) =>
    `The database is at release ${position}, and this image is release ${image.position}. Run \`migrate\` first.`,
  diverged: ({ position }) =>
    `Release ${position} of the database is not the release ${position} of this image. Use an image from the branch that the database belongs to, or another database.`,
  ahead: (image, { position }) =>
    `The database is at release ${position}, which does not work with this image (release ${image.position}). Use the image of release ${position}.`,
  contracted: (image, { position, underWay }) =>
    `The database is at release ${position}, and \`migrate\` has removed what this image (release ${image.position}) needs. Use the image of release ${underWay === null ? position : `${position} or ${underWay}`}.`,
};

const READY: Readonly<Partial<Record<Standing, Sentence>>> = {
  same: (image, { position, pendingSteps }) => {
    if (position > image.position) return `The database is ${aheadText(image, position)} and has the same tables.`;
    if (position < image.position) return `The database is at release ${position} and has the same tables.`;
    if (pendingSteps === 0) return null;
    return `Release ${position} still keeps what only the previous release needs. \`migrate --contract\` or the next release removes it.`;
  },
  beside: (image, { position }) =>
    `The database is ${aheadText(image, position)} and works with this image too, until \`migrate --contract\` or the next release.`,
};

/** `one release ahead (8)` */
function aheadText(image: Pick<ImageRelease, 'position'>, position: number): string {
  const count = position - image.position;
  return `${count === 1 ? 'one release' : `${count} releases`} ahead (${position})`;
}

/** A database of another application may be ahead of the image too. */
function otherHistory(
  standing: Standing,
  { position, revision }: ImageRelease,
  { recorded }: DatabaseView,
): string | null {
  if (standing !== 'ahead' || recorded === null || recorded === revision) return null;
  return `Release ${position} of the database is ${shortRevision(recorded)}, but that of this image is ${shortRevision(revision)}: the database belongs to another application or branch. Check DATABASE_URL.`;
}

/** Connections that do not look into the schema of their release see the tables of the later one. */
function withoutSearchPath(standing: Standing, { fingerprint }: ImageRelease, view: DatabaseView): string | null {
  if (standing !== 'beside') return null;
  const own = compatibilitySchema(fingerprint);
  if (!view.hasOwnSchema)
    return `A later release has changed the tables. The schema that shows them as they were, \`${own}\`, is missing, or does not belong to the owner of the tables, so this image does not use it.`;
  if (view.searchPath.startsWith(own)) return null;
  return 'A later release has changed the tables, and a pooler drops the parameter `search_path`, so this image does not see them as they were. For pgbouncer, set `track_extra_parameters = search_path`.';
}
