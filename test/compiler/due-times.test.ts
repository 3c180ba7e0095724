/** When schedules are due, in the nights in which clocks are changed too. */
import { expect } from 'chai';
import { dueTimes, isCron, lastDue, nextDue } from '../../compiler/definition/due-times.ts';

const due = (cron: string, zone: string, after: string, until: string) =>
  [...dueTimes({ cron, zone }, new Date(after), new Date(until))].map((each) => each.toISOString().slice(0, 16));

describe('due times', () => {
  it('that do not exist are the first moment after the gap', () => {
    expect(due('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', '2026-03-30T12:00Z')).to.deep.equal([
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ]);
    expect(due('30 2 * * *', 'America/New_York', '2026-03-07T12:00Z', '2026-03-09T12:00Z')).to.deep.equal([
      '2026-03-08T07:00',
      '2026-03-09T06:30',
    ]);
    // Lord Howe changes its clocks by half an hour.
    expect(due('15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T12:00Z', '2026-10-05T12:00Z')).to.deep.equal([
      '2026-10-03T15:30',
      '2026-10-04T15:15',
    ]);
  });

  it('that exist twice are the first of the two', () => {
    expect(due('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', '2026-10-26T12:00Z')).to.deep.equal([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ]);
    expect(due('30 1 * * *', 'America/New_York', '2026-10-31T12:00Z', '2026-11-02T12:00Z')).to.deep.equal([
      '2026-11-01T05:30',
      '2026-11-02T06:30',
    ]);
    expect(due('45 1 * * *', 'Australia/Lord_Howe', '2026-04-04T12:00Z', '2026-04-06T12:00Z')).to.deep.equal([
      '2026-04-04T14:45',
      '2026-04-05T15:15',
    ]);
  });

  it('of an interval go on through both nights', () => {
    const nights = [
      ['Europe/Berlin', '2026-03-29T00:00Z'],
      ['Europe/Berlin', '2026-10-25T00:00Z'],
      ['America/New_York', '2026-03-08T06:00Z'],
      ['America/New_York', '2026-11-01T05:00Z'],
      ['Australia/Lord_Howe', '2026-10-03T15:00Z'],
      ['Australia/Lord_Howe', '2026-04-04T14:00Z'],
    ] as const;
    for (const [zone, night] of nights) {
      const end = new Date(new Date(night).getTime() + 3 * 60 * 60_000).toISOString();
      expect(due('*/15 * * * *', zone, night, end), `${zone} ${night}`).to.have.length(12);
    }
  });

  it('are the same from whichever moment they are asked for', () => {
    const patterns = [
      ['30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00Z'],
      ['30 2 * * *', 'Europe/Berlin', '2026-10-24T00:00Z'],
      ['30 1 * * *', 'America/New_York', '2026-10-31T00:00Z'],
      ['30 2 * * *', 'America/New_York', '2026-03-07T00:00Z'],
      ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T00:00Z'],
      ['45 1 * * *', 'Australia/Lord_Howe', '2026-04-04T00:00Z'],
    ] as const;
    for (const [cron, zone, start] of patterns) {
      const [from, until] = [new Date(start), new Date(new Date(start).getTime() + 3 * 24 * 60 * 60_000)];
      const all = [...dueTimes({ cron, zone }, from, until)].map(Number);
      for (let at = from.getTime(); at < (all.at(-1) as number); at += 10 * 60_000) {
        const moment = new Date(at);
        const place = `${zone} ${moment.toISOString()}`;
        expect(Number(nextDue({ cron, zone }, moment)), place).to.equal(all.find((each) => each > at));
        const before = all.findLast((each) => each <= at);
        if (before) expect(Number(lastDue({ cron, zone }, moment)), place).to.equal(before);
      }
    }
  });

  it('are never those of a date that no year has', () => {
    expect(nextDue({ cron: '0 0 30 2 *', zone: 'UTC' }, new Date(0))).to.equal(undefined);
    expect(nextDue({ cron: '0 0 29 2 *', zone: 'UTC' }, new Date('2026-01-01'))?.getFullYear()).to.equal(2028);
  });

  it('have patterns of five parts', () => {
    for (const pattern of ['*/15 * * * *', '30 7 * * 1-5', '0 0 1 JAN MON', '0 0 L * *'])
      expect(isCron(pattern)).to.equal(true);
    for (const pattern of ['', '@daily', '* * * *', '* * * * * *', '60 * * * *', '? * * * *', 'a b c d e'])
      expect(isCron(pattern), pattern).to.equal(false);
  });
});
