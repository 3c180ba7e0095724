import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import type { PlacedDifference } from '../../../pipeline/difference/placed-difference.ts';
import { changedModels } from '../../../pipeline/page/changed-models.ts';
import { differencePage } from '../../../pipeline/page/difference-page.ts';
import { html, sentence } from '../../../pipeline/page/frame.ts';
import { type ReportPageInput, reportPage } from '../../../pipeline/page/report-page.ts';
import { definitionOf } from '../../compiler/openapi/documents.ts';
import { BUILD, DIFFERENCE, sampleDefinitions, sampleReport } from './sample-report.ts';

const NOTHING: PlacedDifference = {
  api: [],
  data: { steps: [], later: [] },
  access: [],
  cost: [],
};

/** The text that a reader sees, one blank between words. */
function seen(page: string): string {
  return page
    .replace(/<style>.*?<\/style>/s, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');
}

/** Every text in it is replaced. */
function hostile<T>(value: T, text: string): T {
  return JSON.parse(JSON.stringify(value, (_key, part) => (typeof part === 'string' ? text : part))) as T;
}

describe('HTML', () => {
  it('escapes each text, and leaves what is HTML already as it is', () => {
    const inner = html`<b>${'<i>"&\''}</b>`;
    expect(html`${inner}${null}${['<', 2]}`.text).to.equal('<b>&lt;i&gt;&quot;&amp;&#39;</b>&lt;2');
  });

  it('has no characters that control a terminal or the direction of a text', () => {
    expect(html`${'a\u001b[31m\u202eb\n'}`.text).to.equal('a\ufffd[31m\ufffdb\n');
  });

  it('shows what is between backticks as code, unless one is missing', () => {
    expect(sentence('`a<b` is').text).to.equal('<code>a&lt;b</code> is');
    expect(sentence('a ` b').text).to.equal('a ` b');
  });
});

describe('the report of a release', () => {
  let input: ReportPageInput;

  before(async () => {
    await loadGrammar();
    input = sampleReport();
  });

  it('begins with what nobody may overlook, then the verdicts, the worst first', () => {
    const text = seen(reportPage(input));
    const order = [
      'Comments, ratings, and a headline',
      'Gates were turned on or off',
      'the gate contract is off now',
      'Who may do more than before',
      'Agreed to: comments are public',
      'What breaks callers',
      'Agreed to: the app of version 3',
      'What data would be lost',
      'Verdicts',
      'warned plans : 1 statement scans a table',
      'passed access',
      'skipped contract',
      'What changes',
      'Models',
      'Build',
    ];
    const places = order.map((each) => text.indexOf(each));
    expect(places, text).not.to.include(-1);
    expect(places).to.deep.equal(places.toSorted((a, b) => a - b));
  });

  it('has each part of the difference with its places', () => {
    const text = seen(reportPage(input));
    for (const each of [
      'breaking GET /api/post/{slug}: the property title is no longer in the response rule',
      'rename the column &quot;title&quot; of &quot;post&quot; to &quot;headline&quot; (locks &quot;post&quot;) locks &quot;post&quot;: reads and writes wait for a moment',
      'later, loss drop the column',
      'safe the previous release can be served beside this one',
      'weaker DELETE /api/post/{slug} has a weaker rule: was post.author is @auth , is now anyone api.kiln:4:5',
      'more GET /api/post: no index serves its order by rating api.kiln:9:5',
    ])
      expect(text).to.include(each);
  });

  it('has the steps with their times, and the image with its digest and size', () => {
    const page = reportPage(input);
    expect(seen(page)).to.include('upgrade 1430 ms').and.to.include('3.7 s in all').and.to.include('65 KB');
    expect(page).to.include(BUILD.image?.id).and.to.include('ghcr.io/acme/blog:main').and.to.include('blog:main');
    expect(page.match(/<svg class="bar"/g)).to.have.length(BUILD.steps.length);
  });

  it('has a table of who may call what', () => {
    const text = seen(reportPage(input));
    expect(text).to.include('3 endpoints, 1 of them open to everybody.');
    expect(text).to.include(
      'PATCH /api/post/{post_slug} Anonymous: no Signed in: by the rule post.author is @auth POST /api/post/',
    );
  });

  it('marks in the diagram which models and fields are new, changed or gone', () => {
    const page = reportPage(input);
    const text = seen(page);
    for (const each of ['~ Post', '+ Comment', '− Draft', '~ headline', '+ rating', '− subtitle'])
      expect(text).to.include(each);
    expect(text).not.to.match(/[+~−] (Author|slug|title)\b/);
    expect(text).to.include('3 models: 1 added, 1 changed, 1 removed.');
  });

  it('of the first release marks nothing', () => {
    const page = reportPage({ ...input, previous: null, report: withoutDifference(input) });
    expect(seen(page)).to.include('This is the first release').and.to.include('3 models.');
    expect(page).not.to.match(/class="(model|row)[^"]* is-(added|changed|removed)/);
  });

  it('without a build says so', () => {
    expect(seen(reportPage({ ...input, build: null }))).to.include('Nothing is recorded about an image');
  });

  it('of a release that failed begins with why', () => {
    const build = { ...BUILD, outcome: 'failed', why: '`serve` ended with 1', image: null } as const;
    const text = seen(reportPage({ ...input, build }));
    expect(text.indexOf('This release failed its test serve ended with 1')).to.be.within(0, text.indexOf('weaker'));
  });

  it('is the same for the same release', () => {
    expect(reportPage(sampleReport())).to.equal(reportPage(input));
  });

  function withoutDifference({ report }: ReportPageInput): ReportPageInput['report'] {
    return { ...report, difference: null, breaking: [] };
  }
});

describe('all pages', () => {
  const TEXT = `"><script>alert(1)</script><img src=x onerror='alert(1)'>`;

  before(() => loadGrammar());

  function pages(): readonly string[] {
    const input = sampleReport();
    const difference = hostile(DIFFERENCE, TEXT);
    const { verdicts, steps, image } = BUILD;
    const build = {
      ...BUILD,
      why: TEXT,
      finished: TEXT,
      steps: steps.map((step) => ({ ...step, name: TEXT, detail: TEXT })),
      verdicts: verdicts.map((verdict) => ({ ...verdict, of: TEXT, says: TEXT, details: [TEXT] })),
      image: image && { ...image, id: TEXT, names: [TEXT], digests: { [TEXT]: TEXT } },
    };
    const report = { ...hostile(input.report, TEXT), difference, models: 1, endpoints: 1 };
    const models = input.definition.models.map((model) => ({ ...hostile(model, TEXT), name: `${TEXT}${model.name}` }));
    const definition = { ...input.definition, models };
    return [
      reportPage({
        ...input,
        branch: TEXT,
        report,
        definition,
        build,
        live: [TEXT],
      }),
      reportPage({ ...input, report, build: { ...build, outcome: 'failed' } }),
      differencePage({ application: TEXT, from: TEXT, to: TEXT, difference }),
    ];
  }

  it('escape whatever a release says', () => {
    for (const page of pages()) {
      expect(page).to.include('&lt;script&gt;');
      expect(page).not.to.match(/<(script|img|iframe|object)\b/i);
      expect(page.replaceAll(/"[^"]*"/g, '""')).not.to.match(/<[^>]* on\w+=/i);
    }
  });

  it('allow no script, no request and no other style than their own', () => {
    for (const page of pages()) {
      const [, policy = ''] = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(page) ?? [];
      const [, styles = ''] = /<style>(.*?)<\/style>/s.exec(page) ?? [];
      const hash = createHash('sha256').update(styles).digest('base64');
      expect(policy.replaceAll('&#39;', "'").split('; ')).to.deep.equal([
        "default-src 'none'",
        `style-src 'sha256-${hash}'`,
        'img-src data:',
        "form-action 'none'",
        "base-uri 'none'",
      ]);
      expect(page).not.to.match(/ style="/);
      expect(page).not.to.match(/(src|href)="(?!data:,|#)/);
      expect(styles).not.to.match(/url\(|@import/);
    }
  });
});

describe('the page of a difference', () => {
  it('names both sides, and says where nothing changes', () => {
    const page = differencePage({ application: 'blog', from: 'v1', to: 'the work tree', difference: NOTHING });
    expect(page).to.include('<title>blog: v1 → the work tree</title>');
    expect(seen(page).match(/No change\./g)).to.have.length(4);
    expect(page).not.to.include('class="loud');
  });

  it('says what the change leaves undecided, and how to decide it', () => {
    const undecided = {
      code: 'member-disappeared',
      says: '`Post.title` is gone',
      help: 'write `drop title` in `Post`',
      subject: { kind: 'model', name: 'Post' },
      place: { file: 'blog.kiln', line: 3, column: 1 },
    } as const;
    const difference = { ...NOTHING, data: { ...NOTHING.data, undecided: [undecided] } };
    const text = seen(differencePage({ application: 'blog', from: 'a', to: 'b', difference }));
    expect(text).to.include('What cannot be released like this Post.title is gone blog.kiln:3:1');
    expect(text).to.include('undecided Post.title is gone write drop title in Post blog.kiln:3:1');
  });

  it('says which settings must be set', () => {
    const subject = { kind: 'setting', name: 'KEY' } as const;
    const place = { file: 'main.kiln', line: 1, column: 9 };
    const settings = [
      { subject, place, level: 'required' as const, says: '`KEY` is new and must be set: it has no default' },
    ];
    const shown = seen(
      differencePage({ application: 'blog', from: 'a', to: 'b', difference: { ...NOTHING, settings } }),
    );
    expect(shown).to.include('What must be set before servers start KEY is new and must be set');
    expect(shown).to.include('Settings Which variables of the environment servers read. required KEY is new');
  });
});

describe('the models that changed', () => {
  before(() => loadGrammar());

  const modelsOf = (count: number, more: string) =>
    definitionOf([
      {
        path: 'many.kiln',
        text: [...Array(count).keys()]
          .map(
            (at) =>
              `model M${at} { field a { type string } ${at > 0 ? `reference up { to M${at - 1} }` : ''} ${at === 7 ? more : ''} }`,
          )
          .join('\n'),
      },
    ]);

  it('are shown with what they refer to where there are many', () => {
    const { graph, isPartial, count } = changedModels(
      modelsOf(60, ''),
      modelsOf(60, 'field b { type string, nullable }'),
    );
    expect(graph.models.map(({ name }) => name)).to.have.members(['M6', 'M7']);
    expect([isPartial, count]).to.deep.equal([true, { added: 0, changed: 1, removed: 0 }]);
  });

  it('are not those of which only the words for people changed', () => {
    const { before } = sampleDefinitions();
    const models = before.models.map((model) => ({ ...model, doc: 'New words.' }));
    expect(changedModels(before, { ...before, models }).count).to.deep.equal({ added: 0, changed: 0, removed: 0 });
  });
});
