import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type Running, run, stopAll } from './running.ts';

const PROGRAM = `
model Job {
  field title { type string }
  field made { type timestamp, default now() }
  field made_ms { type integer, default now() }
  field day { type date, default today() }
  field changed { type timestamp, nullable }
  computed seen { now() }
  computed seen_day { today() }
  computed is_new { made >= now() }
}
api {
  entrypoint Job as job {
    response { title, made, made_ms, day, changed, seen, seen_day, is_new }
    create endpoint {
      extra inputs { field sent { type timestamp, default now() } }
      action {
        execute { hook { source pause from "code" } }
        create as job {}
        execute { hook { source pause from "code" } }
        update job { set changed sent }
      }
    }
    POST many "twice" {
      action {
        create Job as first { set title "1" }
        execute { hook { source pause from "code" } }
        query as seen { from Job, filter { made <= now() and made >= now() }, count }
        create Job as second { set title "2" }
        respond { body [stringify(first.made), stringify(second.made), stringify(now()), stringify(seen)] }
      }
    }
    list endpoint { filter { made <= now() } }
  }
}
`;

const pause = () => sleep(10);

describe('the moment of a request', () => {
  let app: Running;

  before(async () => {
    app = await run(PROGRAM, { code: { pause } });
  });

  after(stopAll);

  it('is the same for defaults of inputs and fields, `set`, and what the response computes', async () => {
    const { status, json } = await app.ask('POST /api/job', { title: 'a' });
    expect(status).to.equal(201);
    const made = String(json.made);
    expect(json).to.include({ changed: made, seen: made, made_ms: Date.parse(made), is_new: true });
    expect([json.day, json.seen_day]).to.deep.equal([made.slice(0, 10), made.slice(0, 10)]);
  });

  it('is the same in every action, in the server and in statements', async () => {
    const { json } = await app.ask('POST /api/job/twice');
    const [first, second, answered, found] = json as unknown as readonly string[];
    expect([second, answered]).to.deep.equal([first, first]);
    expect(found).to.equal('1');
  });

  it('is another one in the next request', async () => {
    const first = (await app.ask('POST /api/job/twice')).json[0];
    await pause();
    expect((await app.ask('POST /api/job/twice')).json[0]).to.not.equal(first);
  });
});
