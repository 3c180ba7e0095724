import type Docker from 'dockerode';
import type { Definition } from '../../../compiler/definition/definition.ts';
import type { PreviousRelease } from '../../../pipeline/smoke/previous-database.ts';
import { type SmokeSteps, startSmokeTest } from '../../../pipeline/smoke/smoke-test.ts';
import { type TestSandboxInput, withTestSandbox } from '../../../pipeline/smoke/test-sandbox.ts';
import type { Withdrawn } from '../../../pipeline/smoke/withdrawal.ts';

interface SmokeInput extends TestSandboxInput {
  readonly image: string;
  readonly base: string;
  readonly definition: Definition;
  readonly previous: PreviousRelease | null;
  readonly withdrawn?: readonly Withdrawn[];
}

/** The smoke test of an image, in a sandbox of its own. */
export function smokeTest(docker: Docker, input: SmokeInput, steps: SmokeSteps): Promise<void> {
  const [previous, withdrawn] = [Promise.resolve(input.previous), Promise.resolve(input.withdrawn ?? [])];
  return withTestSandbox(docker, input, (sandbox) =>
    startSmokeTest(sandbox, { ...input, previous, withdrawn, live: Promise.resolve([]) })(docker, input, steps),
  );
}
