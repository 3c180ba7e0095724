import { expect } from 'chai';
import { problemsBetween } from '../../../compiler/change/problems.ts';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { changeWords } from '../../../compiler/diagnostics/catalogue/changes.ts';
import { workChanges } from '../../../compiler/difference/work-changes.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { definitionOf } from '../emit-sql-database.ts';

const MODEL = 'model Order { field status { type string } field note { type string, nullable } }';

const BEFORE = `${MODEL}
job Send { input order { to Order } action { update order { set note "sent" } } }
job Old { input order { to Order } action { update order { set note "old" } } }
job Left { input order { to Order } action { update order { set note "left" } } }
job Lost { input order { to Order } action { update order { set note "lost" } } }
on update of Order as order when order.status is "paid" and before.status is "open" { run Send { order: order } }
on create of Order as order { run Old { order: order } run Left { order: order } run Lost { order: order } }
schedule Nightly every day at "02:00" { run Add {} }
schedule Weekly every monday at "07:30" { run Add {} }
job Add { action { create Order { set status "added" } } }`;

const AFTER = `${MODEL}
drop job Left
drop job Lost { discard }
job Send {
  input order { to Order } input copy { type boolean, default false }
  retry 3, timeout seconds(60), one at a time per order
  action { update order { set note if(copy, "copied", "sent") } }
  on failure { update order { set note "failed" } }
}
job New was Old { input order { to Order } action { execute { hook { arg note order.note, inline "note" } } } }
job More { action { create Order { set status "more" } } }
on update of Order as order when order.status is "paid" and before.status is not "paid" { run Send { order: order } }
on delete of Order as order { run More {} }
schedule Nightly every day at "03:00" in "Europe/Berlin" { catch up all run Add {} }
schedule Hourly every 1 hours { run Add {} }
job Add { action { create Order { set status "added" } } }`;

describe('changes of work beside requests', () => {
  before(() => loadGrammar());

  const saidBetween = (before: string, after: string) => {
    const [previous, next] = [before, after].map((text) => definitionOf([{ path: 'main.kiln', text }]));
    if (!previous || !next) throw new Error('two programs are compared');
    return workChanges(previous, next).map(({ change, says }) => `${change}: ${says}`);
  };

  it('are told of mails, whose templates are part of the release', () => {
    const text =
      'mail Hello { to "ada@example.com" subject "Hello" body "a.html" } job Send { action { send Hello {} } } schedule Daily every day at "02:00" { run Send {} }';
    const [before, after] = ['<p>One</p>', '<p>Two</p>'].map((html) =>
      definitionOf([{ path: 'main.kiln', text }], (path) => (path === 'mails/a.html' ? html : undefined)),
    ) as [Definition, Definition];
    const says = workChanges(before, after).map((change) => change.says);
    expect(says).to.deep.equal(['the mail `Hello` has another content']);
    const problems = problemsBetween(before, definitionOf([{ path: 'main.kiln', text: MODEL }]));
    const helps = problems.map((each) => each.code === 'job-disappeared' && changeWords[each.code](each.facts).help);
    expect(JSON.stringify(helps))
      .to.include('`mail NewName was Hello { … }`')
      .and.include('`job NewName was Send { … }`');
  });

  it('are told of jobs, their promises, reactions and schedules', () => {
    expect(saidBetween(BEFORE, AFTER)).to.deep.equal([
      'new: the job `More` is new: exactly once',
      'renamed: the job `New` was `Old`',
      'changed: the job `New` is done at least once now, not exactly once',
      'changed: the job `New` does something else',
      'changed: the job `Send` has the inputs `order_id integer`, `copy boolean` now',
      'changed: the job `Send` is tried again 3 times now, not 8 times',
      'changed: the job `Send` may take 60 seconds now, not 30',
      'changed: the job `Send` is done one at a time now',
      'changed: the job `Send` does something else',
      'changed: the job `Send` does something else when it has failed',
      'removed: the job `Left` is gone; the previous release has to do those that wait',
      'removed: the job `Lost` is gone; jobs that wait are removed when the previous release is no longer served',
      'new: `on delete of Order as order` runs `More`',
      'changed: `on update of Order as order when order.status is "paid" and before.status is not "paid"` runs `Send`',
      'removed: `on create of Order as order` runs `Old` and `Left` and `Lost`',
      'new: the schedule `Hourly`, `0 * * * *` in UTC, catch up last, runs `Add`',
      'changed: the schedule `Nightly`, `0 3 * * *` in Europe/Berlin, catch up all, runs `Add`',
      'removed: the schedule `Weekly`, `30 7 * * 1` in UTC, catch up last, runs `Add`',
    ]);
  });

  it('are told of defaults of inputs, and of what a reaction reads by name', () => {
    const text = `${MODEL.replace('field note', 'computed open { status is "open" } field note')}
      job Send { input order { to Order } input copy { type boolean, default false } action { update order { set note "sent" } } }
      on update of Order as order when order.open and not before.open { run Send { order: order } }`;
    const after = text.replace('is "open"', 'is "new"').replace('default false', 'default true');
    expect(saidBetween(text, after)).to.deep.equal([
      'changed: the job `Send` has an input `copy` that has the default `true` now, not `false`',
      'changed: `on update of Order as order when order.open and not before.open` runs `Send`',
    ]);
  });

  it('are none where nothing has changed', () => {
    expect(saidBetween(BEFORE, BEFORE)).to.deep.equal([]);
  });
});
