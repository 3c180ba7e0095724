/** The containers in which repositories test their pushes. */
import { spawnSync } from 'node:child_process';

const LABEL = 'kiln.pipeline';

/** Ids, of all repositories whose folder begins with this text. They are removed after a push. Nothing where no engine answers. */
export function testContainers(repository: string): readonly string[] {
  const words = ['container', 'ls', '--all', '--no-trunc', '--filter', `label=${LABEL}`];
  const { stdout } = spawnSync('docker', [...words, '--format', `{{.ID}} {{.Label "${LABEL}"}}`], { encoding: 'utf8' });
  return (stdout ?? '').split('\n').flatMap((line) => {
    const [id = '', owner = ''] = line.split(/ (.*)/);
    return owner.startsWith(repository) && id !== '' ? [id] : [];
  });
}
