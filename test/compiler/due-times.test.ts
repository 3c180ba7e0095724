/** When schedules are due, in the nights in which clocks are changed too. */
import { expect } from 'chai';
import { dueTimes, isCron, lastDue, nextDue } from '../../compiler/definition/due-times.ts';

const due = (cron: string, zone: string, after: string, until: string) =>
  [...dueTimes({ cron, zone }, new Date(after), new Date(until))].map((each) => each.toISOString().slice(0, 16));

const localDate = (moment: string, zone: string) =>
  new Intl.DateTimeFormat('sv', { timeZone: zone }).format(new Date(`${moment}Z`));

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

  it('of several times of the day are each of them once, in both nights', () => {
    const night = (cron: string, zone: string, date: string) => {
      const from = new Date(`${date}T00:00Z`).getTime() - 14 * 60 * 60_000;
      return due(cron, zone, new Date(from).toISOString(), new Date(from + 38 * 60 * 60_000).toISOString()).flatMap(
        (each) => (localDate(each, zone) === date ? [each.slice(11)] : []),
      );
    };
    // The clocks of Berlin go from 2:00 to 3:00 at 1:00 UTC, and back from 3:00 to 2:00.
    expect(night('30 1,2,14 * * *', 'Europe/Berlin', '2026-03-29')).to.deep.equal(['00:30', '01:00', '12:30']);
    expect(night('30 1,2,14 * * *', 'Europe/Berlin', '2026-10-25')).to.deep.equal(['23:30', '00:30', '13:30']);
    expect(night('0,30 1-3 * * *', 'Europe/Berlin', '2026-03-29')).to.deep.equal(['00:00', '00:30', '01:00', '01:30']);
    // `every 2 hours` and `every 6 hours`.
    const everyTwo = night('0 */2 * * *', 'Europe/Berlin', '2026-03-29');
    expect(everyTwo.slice(0, 3)).to.deep.equal(['23:00', '01:00', '02:00']);
    expect(everyTwo).to.have.length(12);
    expect(night('0 */2 * * *', 'Europe/Berlin', '2026-10-25')).to.have.length(12);
    // New York: 2:00 to 3:00 at 7:00 UTC, and 2:00 to 1:00 at 6:00 UTC.
    expect(night('30 1,2 * * *', 'America/New_York', '2026-03-08')).to.deep.equal(['06:30', '07:00']);
    expect(night('30 1,2 * * *', 'America/New_York', '2026-11-01')).to.deep.equal(['05:30', '07:30']);
    expect(night('0 */6 * * *', 'America/New_York', '2026-03-08')).to.deep.equal(['05:00', '10:00', '16:00', '22:00']);
    expect(night('0 */6 * * *', 'America/New_York', '2026-11-01')).to.deep.equal(['04:00', '11:00', '17:00', '23:00']);
    // Lord Howe: 2:00 to 2:30 at 15:30 UTC, and 2:00 to 1:30 at 15:00 UTC.
    expect(night('15,45 1,2 * * *', 'Australia/Lord_Howe', '2026-10-04')).to.deep.equal([
      '14:45',
      '15:15',
      '15:30',
      '15:45',
    ]);
    expect(night('15,45 1,2 * * *', 'Australia/Lord_Howe', '2026-04-05')).to.deep.equal([
      '14:15',
      '14:45',
      '15:45',
      '16:15',
    ]);
    // In Santiago midnight does not exist in one night: six hours are not left out with it.
    expect(night('0 */6 * * *', 'America/Santiago', '2026-09-06')).to.deep.equal(['04:00', '09:00', '15:00', '21:00']);
  });

  it('are the same from whichever moment they are asked for', () => {
    const patterns = [
      ['30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00Z'],
      ['30 2 * * *', 'Europe/Berlin', '2026-10-24T00:00Z'],
      ['30 1 * * *', 'America/New_York', '2026-10-31T00:00Z'],
      ['30 2 * * *', 'America/New_York', '2026-03-07T00:00Z'],
      ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T00:00Z'],
      ['45 1 * * *', 'Australia/Lord_Howe', '2026-04-04T00:00Z'],
      ['0,30 1,2 * * *', 'Europe/Berlin', '2026-03-28T00:00Z'],
      ['0,30 1,2 * * *', 'Europe/Berlin', '2026-10-24T00:00Z'],
      ['15,45 */2 * * *', 'Australia/Lord_Howe', '2026-04-04T00:00Z'],
      ['0 */6 * * *', 'America/New_York', '2026-10-31T00:00Z'],
      ['30 * * * *', 'Europe/Berlin', '2026-10-24T00:00Z'],
      ['*/20 2 * * *', 'Europe/Berlin', '2026-03-28T00:00Z'],
    ] as const;
    for (const [cron, zone, start] of patterns) {
      const [from, until] = [new Date(start), new Date(new Date(start).getTime() + 3 * 24 * 60 * 60_000)];
      const times = { cron, zone };
      const all = [...dueTimes(times, from, until)].map(Number);
      for (let at = from.getTime(); at < (all.at(-1) as number); at += 10 * 60_000) {
        const moment = new Date(at);
        const place = `${zone} ${moment.toISOString()}`;
        expect(Number(nextDue(times, moment)), place).to.equal(all.find((each) => each > at));
        const before = all.findLast((each) => each <= at);
        if (before) expect(Number(lastDue(times, moment)), place).to.equal(before);
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
