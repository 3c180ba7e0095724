/** Signatures of other services, by the examples that they publish, and by a computation of their own. */
import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import type { SignatureScheme } from '../../../compiler/definition/signed-requests.ts';
import { messageId, verifySignature } from '../../../runtime/request/signatures.ts';

interface Example {
  readonly scheme: SignatureScheme;
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** In seconds. */
  readonly at?: number;
}

/** From the specification of Standard Webhooks, the documentation of Svix, and that of GitHub. */
const PUBLISHED: readonly Example[] = [
  {
    scheme: 'standard',
    secret: 'whsec_plJ3nmyCDGBKInavdOK15jsl',
    headers: {
      'webhook-id': 'msg_loFOjxBNrRLzqYUf',
      'webhook-timestamp': '1731705121',
      'webhook-signature': 'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
    },
    body: '{"event_type":"ping","data":{"success":true}}',
    at: 1731705121,
  },
  {
    scheme: 'standard',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    headers: {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1a,bm9wZQ== v1,AAAA v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    body: '{"test": 2432232314}',
    at: 1614265330,
  },
  {
    scheme: 'github',
    secret: "It's a Secret to Everybody",
    headers: { 'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17' },
    body: 'Hello, World!',
  },
];

describe('a signature', () => {
  const verdictOn = ({ scheme, secret, headers, body, at = 0 }: Example): string => {
    try {
      verifySignature(scheme, secret, headers, Buffer.from(body), at * 1000);
      return 'right';
    } catch (error) {
      return (error as { readonly detail: string }).detail;
    }
  };
  const WRONG = 'The signature is missing, wrong or too old.';

  it('is right where the service has made it', async () => {
    for (const example of [...PUBLISHED, await ofStripe()])
      expect(verdictOn(example), example.scheme).to.equal('right');
  });

  it('is wrong for any other body, secret, header or part of a header', async () => {
    for (const example of [...PUBLISHED, await ofStripe()]) {
      const { headers, body, secret } = example;
      const others: Example[] = [
        { ...example, body: `${body} ` },
        { ...example, body: '' },
        { ...example, secret: secret.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')) },
        { ...example, secret: '' },
        { ...example, headers: {} },
      ];
      for (const [name, value] of Object.entries(headers)) {
        const { [name]: _, ...rest } = headers;
        others.push({ ...example, headers: rest });
        for (let length = 0; length < value.length; length += 1)
          others.push({ ...example, headers: { ...rest, [name]: value.slice(0, length) } });
      }
      // A part of Base64 that ends with a padding is the same without it.
      const wrong = others.filter((other) => !isWithoutPadding(other, example));
      for (const other of wrong) expect(verdictOn(other), JSON.stringify(other)).to.equal(WRONG);
    }
  });

  it('is wrong more than five minutes before and after it was made, where it has a time', async () => {
    for (const example of [...PUBLISHED, await ofStripe()]) {
      const { at } = example;
      if (at === undefined) continue;
      const after = (seconds: number) => verdictOn({ ...example, at: at + seconds });
      expect([-301, -300, 300, 301].map(after)).to.deep.equal([WRONG, 'right', 'right', WRONG]);
    }
  });

  it('has a time that is a number', async () => {
    for (const time of ['', '-1', '1e9', 'Infinity', 'NaN', '0x10', ' 5']) {
      const { headers, ...example } = await ofStripe(time);
      expect(verdictOn({ ...example, headers, at: 5 }), time).to.equal(WRONG);
    }
  });

  it('of several, one has to be right', async () => {
    const { headers, ...example } = await ofStripe();
    const [time, right] = (headers['stripe-signature'] as string).split(',');
    const by = (...parts: readonly (string | undefined)[]) =>
      verdictOn({ ...example, headers: { 'stripe-signature': [time, ...parts].join(',') } });
    const other = `v1=${'0'.repeat(64)}`;
    expect([by(other, right), by(right, other), by(other, other), by(right?.replace('v1', 'v0'))]).to.deep.equal([
      'right',
      'right',
      WRONG,
      WRONG,
    ]);
  });

  it('belongs to a message with an id', () => {
    expect(messageId('standard', { 'webhook-id': 'msg_1' }, {})).to.equal('msg_1');
    expect(messageId('stripe', {}, { id: 'evt_1' })).to.equal('evt_1');
    expect(messageId('github', { 'x-github-delivery': 'd-1' }, {})).to.equal('d-1');
    for (const id of [undefined, '', 7, null, {}])
      expect(() => messageId('stripe', {}, { id }))
        .to.throw()
        .with.property('code', 'malformed-request');
  });
});

function isWithoutPadding({ headers }: Example, { headers: whole }: Example): boolean {
  const [name = ''] = Object.keys(whole).filter((key) => headers[key] !== whole[key]);
  return `${headers[name]}=` === whole[name] && headers[name] !== '';
}

/** As the documentation of Stripe says, with the Web Crypto API. */
async function ofStripe(time = '1492774577'): Promise<Example> {
  const secret = 'whsec_test_secret';
  const body = '{ "id": "evt_1" }';
  const encoder = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign']);
  const signed = await crypto.subtle.sign('HMAC', key, encoder.encode(`${time}.${body}`));
  const hex = [...new Uint8Array(signed)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return { scheme: 'stripe', secret, headers: { 'stripe-signature': `t=${time},v1=${hex}` }, body, at: Number(time) };
}
