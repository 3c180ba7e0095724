/**
 * A database of the previous release, made and filled by that release itself: its layers on the base. So the code of an
 * application runs in containers only, also that of its populators.
 */
import type { Definition } from '../../compiler/definition/definition.ts';
import type { Layer } from '../image/layer.ts';
import { SmokeFailure } from './deadline.ts';
import { madeUpSettings } from './made-up-settings.ts';
import { refusalIn } from './refusal-in.ts';
import type { Sandbox } from './sandbox.ts';
import {
  imageCommands,
  lastLines,
  mustHaveSucceeded,
  type RunCommand,
  type RunImageCommand,
} from './sandbox-container.ts';
import { type ServedImage, serveImage } from './serve-image.ts';
import { storeJobs } from './stored-jobs.ts';
import type { SmokePostgres, TestSandbox } from './test-sandbox.ts';

/** One that is recorded, and whose code is here. */
export interface EarlierRelease {
  /** The position in the ledger, from 1. */
  readonly position: number;
  readonly revision: string;
  readonly definition: Definition;
  readonly layers: readonly Layer[];
  readonly populator: string | null;
}

/** The obstacle to a test, and its details. */
export interface Untested {
  readonly untested: string;
  readonly details: readonly string[];
}

export interface PreviousRelease extends EarlierRelease {
  readonly beside: Beside;
}

/** How the previous release is tested beside the new one. */
export type Beside =
  /** Its image is in the engine, and is run. */
  | { readonly kind: 'image'; readonly image: string }
  /** The engine has no such image, so only its statements are tested. */
  | { readonly kind: 'statements'; readonly missing: string }
  | { readonly kind: 'untested'; readonly why: string };

/** The previous release in a test. All of it can begin before there is an image to test. */
export interface Before {
  readonly previous: PreviousRelease;
  /** Runs commands of the previous release, whose layers are put on the base. */
  readonly run: RunImageCommand;
  /** Its database, when it is there. */
  readonly filled: Promise<Filled>;
  /** Its image on that database, as in a rollout: it runs while the database is upgraded. Null where it is not tested. */
  readonly server: Promise<ServedImage> | null;
}

/** How a database was filled, and the jobs of which none waits in it. */
export interface Filled {
  readonly how: string;
  readonly untried: readonly string[];
}

export interface Upgrade extends Before {
  /** The image that is tested. */
  readonly tested: ServedImage;
  readonly signal: AbortSignal;
}

interface BeforeInput {
  /** The image that the layers of the previous release are put on. */
  readonly base: string;
  readonly previous: PreviousRelease;
  readonly signal: AbortSignal;
}

export function startBefore({ sandbox, postgres, url }: Started, input: BeforeInput): Before {
  const { previous, signal } = input;
  const { beside } = previous;
  const databaseUrl = url('previous');
  const run = layersOnBase(sandbox, input, previous);
  const filled = postgres.then(async (opened) => {
    const how = await previousDatabase({ previous, run }, databaseUrl);
    return { how, untried: await storeJobs(opened, 'previous', previous.definition, run) };
  });
  // It waits for its database, as any other server does.
  const server =
    beside.kind === 'image' ? serveBefore(sandbox, { image: beside.image, databaseUrl, previous, signal }) : null;
  // The callers that await them get the errors.
  for (const each of [filled, server]) each?.catch(() => undefined);
  return { previous, run, filled, server };
}

/** A sandbox with a Postgres that may still be starting. */
export type Started = Pick<TestSandbox, 'sandbox' | 'postgres' | 'url'>;

/** Runs commands of a release without its image: its layers are put on the base. */
export function layersOnBase(
  sandbox: Sandbox,
  { base, signal }: Pick<BeforeInput, 'base' | 'signal'>,
  { layers, definition }: Pick<EarlierRelease, 'layers' | 'definition'>,
): RunImageCommand {
  const archives = layers.map(({ tar }) => tar);
  const environment = madeUpSettings(definition);
  return imageCommands(sandbox.start({ image: base, command: null, environment, archives }), signal);
}

interface ServeBefore {
  readonly image: string;
  readonly databaseUrl: string;
  readonly previous: PreviousRelease;
  readonly signal: AbortSignal;
}

export function serveBefore(sandbox: Sandbox, { previous, ...input }: ServeBefore): Promise<ServedImage> {
  return serveImage(sandbox, { ...input, definition: previous.definition, of: ` of ${releaseText(previous)}` });
}

export function releaseText({ position, revision }: Pick<EarlierRelease, 'position' | 'revision'>): string {
  return `release ${position} (${revision.slice(0, 12)})`;
}

export async function upgradeDatabase(postgres: SmokePostgres, upgrade: Upgrade) {
  const { tested, previous } = upgrade;
  const filled = await upgrade.filled;
  const what = `\`migrate\` of a database of the previous release (${previous.revision.slice(0, 12)}, ${filled.how})`;
  const databaseUrl = postgres.url('previous');
  const run = await tested.run({ words: ['migrate', '--json'], databaseUrl, what });
  if (run.code !== 0) throw refusedUpgrade(what, run);
  return filled;
}

/**
 * Describes a failed upgrade. The refusal of `migrate` comes first: it is about the author's change, and the rest is
 * about where it happened.
 */
export function refusedUpgrade(what: string, { code, lines }: RunCommand): SmokeFailure {
  const refusal = refusalIn(lines);
  if (!refusal) return new SmokeFailure(`${what} ended with ${code}.`, lastLines(lines));
  const details = refusal.details.map((detail) => `  ${detail}`);
  if (refusal.reason !== 'failed')
    return new SmokeFailure(`${what} ended with ${code}.`, [refusal.message, ...details]);
  return new SmokeFailure(`${what} is refused: ${refusal.message}`, details);
}

/** Makes the database of the previous release, and returns how it was filled. */
export async function previousDatabase(before: CommandsOfBefore, databaseUrl: string): Promise<string> {
  await runBefore(before, databaseUrl, ['migrate']);
  return populated(before, databaseUrl);
}

export interface CommandsOfBefore {
  readonly previous: EarlierRelease;
  readonly run: RunImageCommand;
}

/** A populator that fails is a mistake of that release, so it does not count against this one. */
async function populated(before: CommandsOfBefore, databaseUrl: string): Promise<string> {
  const { populator } = before.previous;
  if (populator === null) return 'without records, since it has no populator';
  try {
    await runBefore(before, databaseUrl, ['populate', '--populator', populator]);
    return `filled with ${populator}`;
  } catch (error) {
    if (!(error instanceof SmokeFailure)) throw error;
    return `without records, since its populator ${populator} fails`;
  }
}

async function runBefore({ previous, run }: CommandsOfBefore, databaseUrl: string, words: readonly string[]) {
  const what = `\`${words[0]}\` of ${releaseText(previous)}`;
  mustHaveSucceeded(what, await run({ words, databaseUrl, what }));
}
