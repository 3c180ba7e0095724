/** Whether a server works with the database as it is now, by the releases that are recorded there. */
import { compatibilitySchemaIn } from '../compiler/definition/migration.ts';
import type { Readiness } from './observe/readiness.ts';
import { type NewestRelease, type Standing, standingOf, withdrawalOf } from './query/database-release.ts';
import { type ImageRelease, shortRevision } from './query/image-release.ts';

export function releaseReadiness(image: ImageRelease, database: NewestRelease): Readiness {
  const standing = standingOf(image, database);
  const reason = NOT_READY[standing]?.(image, database) ?? withoutSearchPath(standing, image, database);
  if (reason !== null) return { ready: false, reason };
  const { position, pendingSteps } = database;
  const detail = READY[standing]?.(image, database) ?? null;
  const pending = pendingSteps > 0 ? { pending: { release: position, steps: pendingSteps } } : {};
  return {
    ready: true,
    about: { release: image.position, databaseRelease: position, ...pending, ...(detail === null ? {} : { detail }) },
  };
}

type Sentence = (image: ImageRelease, database: NewestRelease) => string | null;

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
    return `Release ${position} still keeps what only the release before it needs. \`migrate --contract\` or the next release removes it.`;
  },
  beside: (image, { position }) =>
    `The database is ${aheadText(image, position)} and works with this image too, until \`migrate --contract\` or the next release.`,
};

/** `one release ahead (8)` */
function aheadText(image: Pick<ImageRelease, 'position'>, position: number): string {
  const count = position - image.position;
  return `${count === 1 ? 'one release' : `${count} releases`} ahead (${position})`;
}

/** A pooler that drops the parameter gives connections that see the tables of the later release. */
function withoutSearchPath(standing: Standing, image: ImageRelease, database: NewestRelease): string | null {
  const own = compatibilitySchemaIn(database.schema, image.fingerprint);
  if (standing !== 'beside' || database.searchPath.startsWith(`${own},`)) return null;
  return 'A later release has changed the tables, and a pooler drops the parameter `search_path`, so this image does not see them as they were. For pgbouncer, set `track_extra_parameters = search_path`.';
}
