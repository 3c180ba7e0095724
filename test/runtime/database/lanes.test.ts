import { expect } from 'chai';
import type { Lane } from '../../../runtime/query/connections/lane.ts';
import { Lanes } from '../../../runtime/query/connections/lanes.ts';

/** A lane with room for so many. */
class SmallLane {
  room = 0;

  hasRoom(): boolean {
    return this.room > 0;
  }
}

describe('lanes', () => {
  let lane: SmallLane;
  let lanes: Lanes;
  let begun: string[];

  beforeEach(() => {
    lane = new SmallLane();
    lanes = new Lanes([lane as unknown as Lane]);
    begun = [];
  });

  const wait = (name: string) =>
    lanes.wait(() => {
      lane.room--;
      begun.push(name);
    });

  it('are given to those that wait, in their order, as far as there is room', () => {
    for (const name of ['first', 'second', 'third']) wait(name);
    lanes.serve(0);
    expect(begun).to.deep.equal([]);
    lane.room = 2;
    lanes.serve(0);
    expect(begun).to.deep.equal(['first', 'second']);
    expect(lanes.isAwaited).to.equal(true);
  });

  it('are not free for a new statement while others wait', () => {
    wait('first');
    lane.room = 2;
    expect(lanes.free(0)).to.equal(undefined);
    lanes.serve(0);
    expect(lanes.free(0)).to.equal(lane);
  });

  it('forget those that wait no longer', () => {
    const leave = wait('first');
    wait('second');
    leave();
    lane.room = 1;
    lanes.serve(0);
    expect(begun).to.deep.equal(['second']);
  });
});
