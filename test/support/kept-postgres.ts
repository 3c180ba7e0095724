/** The containers in which repositories keep a Postgres for their next push. */
import { spawnSync } from 'node:child_process';

/** For tests whose smoke tests share one. The next of them begins long before that. */
export const KEPT_SECONDS = 600;

/** Ids, of all repositories whose folder begins with this text. */
export function keptPostgres(repository: string): readonly string[] {
  return labelled('kiln.postgres', repository);
}

/** Ids of the containers of their tests, which are removed after a push. */
export function testContainers(repository: string): readonly string[] {
  return labelled('kiln.pipeline', repository);
}

function labelled(label: string, repository: string): readonly string[] {
  const format = `{{.ID}} {{.Label "${label}"}}`;
  const lines = docker('container', 'ls', '--all', '--no-trunc', '--filter', `label=${label}`, '--format', format);
  const containers = lines.map(
    (line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)] as const,
  );
  return containers.flatMap(([id, owner]) => (owner.startsWith(repository) ? [id] : []));
}

export function removeKeptPostgres(repository: string): void {
  const ids = keptPostgres(repository);
  if (ids.length > 0) docker('container', 'rm', '--force', '--volumes', ...ids);
}

/** Nothing where no engine answers. */
function docker(...words: readonly string[]): readonly string[] {
  const { stdout } = spawnSync('docker', words, { encoding: 'utf8' });
  return (stdout ?? '').split('\n').filter((line) => line !== '');
}
