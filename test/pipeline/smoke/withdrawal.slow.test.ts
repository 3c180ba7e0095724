import { expect } from 'chai';
import { bakeInto, baseIn } from '../../../pipeline/bake/bake.ts';
import { type BuiltRelease, buildRelease, checkRelease } from '../../../pipeline/bake/build-release.ts';
import { startTest } from '../../../pipeline/bake/test-image.ts';
import { openRepository } from '../../../pipeline/git/repository.ts';
import { DockerEngine } from '../../../pipeline/image/docker-engine.ts';
import { appendRelease } from '../../../pipeline/ledger/append-release.ts';
import { SmokeFailure } from '../../../pipeline/smoke/deadline.ts';
import { Steps, type Verdict } from '../../../pipeline/smoke/steps.ts';
import { withTestSandbox } from '../../../pipeline/smoke/test-sandbox.ts';
import { testPassage } from '../../../pipeline/smoke/withdrawal.ts';
import { POSTGRES_IMAGE, runtimeBase, skipWithoutImages } from '../../support/runtime-base.ts';
import { commit, newRepository, write } from '../git/git-repository.ts';

const OWNER = `kiln-test-withdrawal-${process.pid}`;
const IMAGE = `${OWNER}:tested`;

/** Each with a populator of its own. */
function post(fields: string, values: string): string {
  const api = 'api { entrypoint Post as post { list endpoint {} create endpoint {} } }';
  return `model Post { ${fields} } ${api} populator Dev { populate Post { repeat as i 3, ${values} } }\n`;
}

const FIRST = post('field title { type string }  field tags { type [string], default [] }', 'set title "Same"');
/** Cannot be brought to rows of the first one. */
const UNIQUE = post(
  'field heading { type string, unique, was title }  field size { type integer, nullable }  drop tags',
  'set heading "Post " + i.current',
);
const REVERTED = post(
  'field title { type string, was heading }  field tags { type [string], default [] }  drop size',
  'set title "Same"',
);
/** Neither; and the rows of the second one could have it. */
const OTHER = post(
  'field title { type string, unique, was heading }  field tags { type [string], default [] }  drop size',
  'set title "Post " + i.current',
);

describe('the test of an image that withdraws a release', function () {
  this.timeout(180_000);
  let engine: DockerEngine;
  let base: string;

  before(async function () {
    skipWithoutImages(this);
    engine = await DockerEngine.connect();
    base = await runtimeBase();
  });

  afterEach(async () => {
    await engine?.untag(IMAGE);
  });

  let revisions: string[];
  let last: BuiltRelease;
  let folder: string;

  /** One release for each source, with what its commit says behind the subject. */
  async function released(...sources: readonly (readonly [string, () => string])[]): Promise<void> {
    folder = newRepository(OWNER);
    revisions = [];
    for (const [source, says] of sources) await releasedNext(source, says());
  }

  async function releasedNext(source: string, says: string): Promise<void> {
    last = await buildRelease(inputOf(source, says), new Steps(() => undefined));
  }

  /** Of the next commit. */
  function inputOf(source: string, says: string) {
    write(folder, { 'blog.kiln': source });
    const revision = commit(folder, `Change\n\n${says}`);
    revisions.push(revision);
    return { repository: openRepository(folder), revision, branch: 'main', folder: '' };
  }

  const nothing = () => '';
  const withdraws = (position: number) => () => `Withdraws: ${revisions[position - 1]}`;

  /** Of the withdrawal of the second release, from the image of the last one. */
  async function tested(): Promise<Verdict | undefined> {
    await bakeInto(engine, await baseIn(engine, base), last, [IMAGE]);
    const steps = new Steps(() => undefined);
    const input = {
      base,
      postgres: POSTGRES_IMAGE,
      repository: openRepository(folder),
      branch: 'main',
      owner: OWNER,
      name: () => OWNER,
      hasFailed: () => false,
      signal: new AbortController().signal,
    };
    await withTestSandbox(engine.docker, input, (sandbox) => startTest(input, engine, sandbox, last)(IMAGE, steps));
    return steps.verdicts.find(({ of }) => of === 'withdrawal of release 2');
  }

  function short(position: number): string {
    return revisions[position - 1]?.slice(0, 12) ?? '';
  }

  it('takes databases that have not begun it, and such that have begun it', async () => {
    await released([FIRST, nothing], [UNIQUE, nothing], [REVERTED, withdraws(2)]);
    const { outcome, says, details } = (await tested()) as Verdict;
    expect(outcome).to.equal('passed');
    // The rows of the first release have the same title, so its last step is not reached.
    expect(says).to.match(
      new RegExp(
        `^release 2 \\(${short(2)}\\), from release 1 \\(${short(1)}\\), filled with Dev: not begun; stopped after step 1 of (\\d+); failed at step \\d+ of \\1$`,
      ),
    );
    expect(details).to.deep.equal([`release 1 (${short(1)}): every statement fits the database`]);
  });

  it('takes those too that have begun an earlier release which has withdrawn it', async () => {
    await released([FIRST, nothing], [UNIQUE, nothing], [OTHER, withdraws(2)], [REVERTED, withdraws(2)]);
    const { says } = (await tested()) as Verdict;
    const [notBegun, ...begun] = says.split(': ')[1]?.split('; ') ?? [];
    expect(notBegun).to.equal('not begun');
    expect(begun).to.have.length(3);
    // Of the two steps of the third release, the index is the one that fails.
    expect(begun.at(-1)).to.equal('failed at step 1 of 2');
  });

  it('fails where such a database cannot come to the release, though one that has completed the other can', async () => {
    await released([FIRST, nothing], [UNIQUE, nothing], [OTHER, withdraws(2)]);
    const failure = await tested().catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(SmokeFailure);
    expect((failure as SmokeFailure).message).to.include(
      `\`migrate\` of a database that withdraws release 2 (${short(2)}), from release 1 (${short(1)}), filled with Dev (not begun) is refused: Postgres refused to build the index of the unique key "post_title_key"`,
    );
  });

  it('warns where somebody has to change records before `migrate` can undo it', async () => {
    const state = (values: string, field: string, more: string, sets: string) => {
      const fields = `field title { type string }  field state { type State, ${field} }  ${more}`;
      return `enum State { ${values} }\n${post(fields, `set title "Same", ${sets}`)}`;
    };
    const first = state('on, off', 'nullable', '', 'set state null');
    const note = 'field note { type string, backfill title }';
    const broken = state('on, off, broken', 'backfill "broken"', note, 'set state "on"');
    const reverted = state('on, off, drop broken', 'nullable', 'drop note', 'set state null');
    await released([first, nothing], [broken, nothing], [reverted, withdraws(2)]);
    const { outcome, says } = (await tested()) as Verdict;
    expect(outcome).to.equal('warned');
    expect(says).to.match(
      /; stopped after step (\d+) of \d+: `migrate` will stop: Records still have the value "broken" of "state", which is to be removed again, in "state" of "post": 3 records$/,
    );
  });

  it('is left out where the code of an earlier release can no longer be bundled, and says why', async () => {
    await released();
    write(folder, { 'hooks/shout.ts': 'export const shout = () =>\n  "A" + ;\n' });
    const input = inputOf(
      FIRST.replace('model Post {', 'model Post { hook shout { source shout from "shout.ts" }'),
      '',
    );
    // As an older Kiln may have recorded it, which bundled this.
    const { ledger, texts } = await checkRelease(input);
    appendRelease(input.repository, ledger, input.revision, texts);
    await releasedNext(UNIQUE, '');
    await releasedNext(REVERTED, withdraws(2)());
    const { outcome, says, details } = (await tested()) as Verdict;
    expect(outcome).to.equal('skipped');
    expect(says).to.equal(
      `release 2 (${short(2)}): not tested, because of release 1 (${short(1)}): the code of hooks cannot be bundled`,
    );
    expect(details[0]).to.match(/^error\[bad-hook-code\]: `hooks\/shout.ts` cannot be bundled/);
  });
});

describe('the test of a withdrawal', () => {
  it('is left out where the code of a release is gone', async () => {
    const untested = { untested: 'the code of a release is gone', details: [] };
    const withdrawn = { position: 2, revision: '2'.repeat(40), path: untested };
    const unused = undefined as never;
    expect(await testPassage(unused, unused, { withdrawn, prepared: untested })).to.deep.equal({
      of: 'withdrawal of release 2',
      outcome: 'skipped',
      says: 'release 2 (222222222222): not tested, because the code of a release is gone',
      details: [],
    });
  });
});
