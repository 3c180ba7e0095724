/** Which images of the settings the Docker engine does not have, so that it is known before the first push. */
import Docker from 'dockerode';
import { howToGet } from '../bake/bake.ts';
import { engineAddress } from '../image/docker-context.ts';
import { DockerEngine } from '../image/docker-engine.ts';
import type { PushSettings } from './settings.ts';

/** In milliseconds: whoever only writes settings does not wait for an engine that does not answer. */
const PATIENCE = 2000;

/** Sentences; none where no engine answers. */
export async function missingImages({ base, postgres }: PushSettings, folder: string): Promise<readonly string[]> {
  try {
    const engine = await DockerEngine.connect(new Docker({ ...engineAddress(), timeout: PATIENCE }));
    const [hasBase, hasPostgres] = await Promise.all(
      [base, postgres].map(async (name) => (await engine.imageOf(name)) !== null),
    );
    return [
      ...(hasBase ? [] : [`The base image ${base} is not in the Docker engine. ${howToGet(base)} before a push.`]),
      ...(hasPostgres
        ? []
        : [
            `The image ${postgres} is not in the Docker engine: the first push pulls it. To name another: kiln pipeline init ${folder} --postgres <image>`,
          ]),
    ];
  } catch {
    return [];
  }
}
