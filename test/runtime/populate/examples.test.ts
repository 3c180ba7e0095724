import { expect } from 'chai';
import { verifyPassword } from '../../../runtime/values/password.ts';
import { counts, exampleFiles, fingerprint, invalidValues, populating } from './populating.ts';

describe('the populators of the examples', () => {
  it('fill the blog', async () => {
    const blog = await populating(exampleFiles('blog'));
    const { rows, tables } = await blog.populate();
    expect(await counts(blog)).to.deep.equal({ Author: 19, Comment: 198, Post: 70, Tag: 6, Tagging: 136 });
    expect(rows).to.equal(429);
    expect(tables.map(({ model }) => model)).to.have.members(['Author', 'Comment', 'Post', 'Tag', 'Tagging']);
    expect(await invalidValues(blog)).to.deep.equal([]);
  });

  it('fill the helpdesk, and everyone can sign in', async () => {
    const helpdesk = await populating(exampleFiles('helpdesk'));
    await helpdesk.populate();
    expect(await counts(helpdesk)).to.include({ User: 25, Agent: 5, Membership: 20, Ticket: 60, Message: 180 });
    expect(await invalidValues(helpdesk)).to.deep.equal([]);
    const hashes = await helpdesk.rows('SELECT DISTINCT password_hash FROM "user"');
    expect(hashes).to.have.length(1);
    expect(await verifyPassword('correct horse', String(hashes[0]?.password_hash))).to.equal(true);
  });

  it('fill the bookings, and no two of a room overlap', async () => {
    const bookings = await populating(exampleFiles('bookings'));
    await bookings.populate();
    expect(await counts(bookings)).to.include({ Person: 13, Room: 6, Booking: 180, Guest: 360, Rating: 24 });
    expect(await invalidValues(bookings)).to.deep.equal([]);
    const overlapping = await bookings.rows(
      'SELECT FROM booking a JOIN booking b USING (room_id) WHERE a.id < b.id AND a.starts_at < b.ends_at AND b.starts_at < a.ends_at',
    );
    expect(overlapping).to.deep.equal([]);
  });

  it('fill the projects, with tasks for members and labels of the same team', async () => {
    const projects = await populating(exampleFiles('projects'));
    await projects.populate();
    expect(await counts(projects)).to.include({ User: 8, Team: 1, Membership: 8, Project: 3, Task: 36, TaskLabel: 36 });
    expect(await invalidValues(projects)).to.deep.equal([]);
    const guests = await projects.rows(
      `SELECT FROM task JOIN membership ON user_id = assignee_id WHERE role = 'guest'`,
    );
    expect(guests).to.deep.equal([]);
  });

  it('fill the shop', async () => {
    const shop = await populating(exampleFiles('shop'));
    await shop.populate();
    expect(await counts(shop)).to.include({ Customer: 31, Category: 6, Product: 120, Order: 60, OrderLine: 150 });
    expect(await invalidValues(shop)).to.deep.equal([]);
  });

  for (const name of ['blog', 'bookings', 'helpdesk', 'projects', 'shop']) {
    it(`make the same rows of the ${name} from the same seed, and others from another`, async () => {
      const seen: string[] = [];
      for (const seed of [1, 1, 2]) {
        const example = await populating(exampleFiles(name));
        await example.populate({ seed });
        seen.push(await fingerprint(example));
      }
      const [first, again, other] = seen;
      expect(again).to.equal(first);
      expect(other).not.to.equal(first);
    });
  }

  it('make more of what is repeated, and no second clerk', async () => {
    const shop = await populating(exampleFiles('shop'));
    await shop.populate({ scale: 3 });
    expect(await counts(shop)).to.include({ Customer: 91, Category: 18, Product: 360, Order: 180, Coupon: 3 });
  });

  it('make less with a scale below 1', async () => {
    const blog = await populating(exampleFiles('blog'));
    await blog.populate({ scale: 0.5 });
    expect(await counts(blog)).to.include({ Author: 11, Tag: 6 });
  });
});
