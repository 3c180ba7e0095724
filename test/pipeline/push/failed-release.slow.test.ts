import { expect } from 'chai';
import { POSTGRES_IMAGE, runtimeBase, skipWithoutImages } from '../../support/runtime-base.ts';
import { kiln, PushedProject } from './pushed-project.ts';

const API = 'api { entrypoint Owner as owners { list endpoint {} } }';
const POPULATOR = 'populator Dev { populate Owner { repeat as i 3, set name "Ada" } }';
const sourceWith = (property: string) => `model Owner { field name { type string${property} } } ${API} ${POPULATOR}\n`;

/** Three owners have one name. */
describe('a push after one whose upgrade failed', function () {
  this.timeout(180_000);
  let project: PushedProject;
  let base: string;

  before(async function () {
    skipWithoutImages(this);
    base = await runtimeBase();
    project = new PushedProject('--base', base, '--postgres', POSTGRES_IMAGE);
  });

  async function pushed(source: string, message: string) {
    const tag = project.commit({ 'owners.kiln': source }, message).slice(0, 12);
    const { said } = await project.push(['main']);
    return { tag, said, last: said.split('\n').findLast((line) => line.startsWith('remote: error')) ?? '' };
  }

  it('fails in the same way, until a commit withdraws the release, and upgrades what is live', async () => {
    const first = await pushed(sourceWith(''), 'Owners');
    const second = await pushed(sourceWith(', unique'), 'Unique names');
    const third = await pushed(`${sourceWith(', unique')}// A comment.\n`, 'Comment');
    for (const { tag, said, last } of [second, third]) {
      expect(said).to.include(
        `\`migrate\` of a database of the release before (${first.tag}, filled with Dev) is refused`,
      );
      expect(said).to.include('safe beside release 1: yes').and.not.to.include('the database needs no change');
      expect(last).to.include('Commit a fix and push it; it is tested from release 1 again');
      expect(last).to.include(`end the message with the line \`Withdraws: ${second.tag}\``);
      expect(project.images()).not.to.have.property(tag);
    }
    expect(third.said).to.include(`compared with release 1, because release 2 (${second.tag}) failed`);

    expect(kiln('pipeline', 'deployed', 'production', first.tag, '--repo', project.bare).status).to.equal(0);
    const fourth = await pushed(sourceWith(''), `Names as before\n\nWithdraws: ${second.tag}`);
    expect(fourth.said).to.match(new RegExp(`upgrade .*a database of ${first.tag}, filled with Dev`));
    expect(fourth.said).to.match(new RegExp(`beside .*release 1 \\(${first.tag}\\): every statement fits`));
    expect(project.images()).to.have.property(fourth.tag);

    const fifth = await pushed(sourceWith(', nullable'), 'Names may be missing');
    expect(fifth.said).to.match(new RegExp(`upgrade .*a database of ${fourth.tag}, filled with Dev`));
    const live = `release 1 \\(${first.tag}\\), live in production`;
    expect(fifth.said).to.match(new RegExp(`upgrade .*a database of ${live}, filled with Dev`));
    expect(fifth.said).to.match(new RegExp(`since ${live}:`));
    expect(project.images()).to.have.property(fifth.tag);
  });

  it('is the same for `kiln build --test`', async () => {
    const built = (source: string, message: string) => {
      project.commit({ 'owners.kiln': source }, message);
      return kiln('build', project.folder, '--base', base, '--test', POSTGRES_IMAGE);
    };
    expect(built(sourceWith(''), 'Built').status).to.equal(0);
    for (const message of ['Unique', 'Commented']) {
      const { status, said } = built(`${sourceWith(', unique')}// ${message}\n`, message);
      expect(status, said).to.equal(1);
      expect(said)
        .to.include('it is tested from release 1 again')
        .and.to.match(/with the line `Withdraws: \w{12}`/);
    }
  });
});
