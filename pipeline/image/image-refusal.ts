import type Docker from 'dockerode';

/** The reason why there is no image: the message is a sentence for the user. */
export class ImageRefusal extends Error {
  override readonly name = 'ImageRefusal';
}

/** A missing requirement. The advice depends on the command: a push has no options. */
export class MissingRefusal extends ImageRefusal {
  readonly missing: 'engine' | 'recent-engine' | 'base' | 'postgres';
  /** A sentence without a full stop. */
  readonly what: string;

  constructor(missing: MissingRefusal['missing'], what: string, advice: string, options?: ErrorOptions) {
    super(`${what}. ${advice}`, options);
    this.missing = missing;
    this.what = what;
  }
}

// ── Engine refusal ───────────────────────────────────────────────────────────────────────────────────────────────────

// The failures of a Docker engine, in sentences that say what to do.

/** The error of an engine: `json` has the engine's message; `message` has the status around it. */
type EngineError = Error & { readonly code?: string; readonly json?: { readonly message?: string } | null };

/** The API of Docker 20.10. */
const OLDEST_API = '1.41';

export function mustBeRecentEngine({ Version, ApiVersion }: Docker.DockerVersion): void {
  if (!isOlder(ApiVersion, OLDEST_API)) return;
  const what = `The Docker engine is too old: ${Version} has API ${ApiVersion}, and ${OLDEST_API} (Docker 20.10) is needed`;
  throw new MissingRefusal('recent-engine', what, 'Update Docker, or write the image to a file with --output.');
}

/** Versions are no fractions: 1.9 is older than 1.41. */
function isOlder(version: string, oldest: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldest.split('.').map(Number);
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}

export function noEngine(cause: unknown): ImageRefusal {
  const why = (cause as EngineError).code === 'EACCES' ? 'this user may not use it' : 'none answers';
  const where = process.env.DOCKER_HOST ? ` at DOCKER_HOST=${process.env.DOCKER_HOST}` : '';
  const what = `A Docker engine is needed to load the image, but ${why}${where}`;
  return new MissingRefusal('engine', what, 'Start Docker, or write the image to a file with --output.', { cause });
}

/** `act` is what was being done, as in `loading the image`. */
export function engineRefusal(act: string, cause: unknown): ImageRefusal {
  if (cause instanceof ImageRefusal) return cause;
  const why = reasonOf(cause);
  const isFull = /no space left on device|disk quota exceeded/i.test(why);
  const advice = isFull ? '. Its disk is full: make room, for example with `docker image prune`' : '';
  return new ImageRefusal(`The Docker engine failed while ${act}: ${why}${advice}`, { cause });
}

/** The reason in the engine's own words. */
export function reasonOf(cause: unknown): string {
  const { json, message } = cause as EngineError;
  return (json?.message ?? message).trim().replace(/\.$/, '');
}
