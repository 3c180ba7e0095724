/** What the parts of a template become. */
import { expect } from 'chai';
import { DeliveryError } from '../../../runtime/deliver/delivery-error.ts';
import { mailFrom } from '../../../runtime/deliver/mail.ts';
import { plainTextOf } from '../../../runtime/deliver/plain-text.ts';

const PARTS = { to: 'ada@example.com', subject: 'Hello', html: ['<p>', '</p>'], html0: 'Ada' };

describe('a mail', () => {
  it('has escaped values in its HTML, and none where there is null', () => {
    const html = ['<p title="', '">', '</p>'];
    const mail = mailFrom({ ...PARTS, html, html0: `"'<&>`, html1: null }, '1');
    expect(mail.html).to.equal('<p title="&quot;&#39;&lt;&amp;&gt;"></p>');
  });

  it('has values as they are in its own plain text', () => {
    expect(mailFrom({ ...PARTS, text: ['Hello ', ''], text0: '<Ada>' }, '1').text).to.equal('Hello <Ada>');
    expect(mailFrom({ ...PARTS, html0: '<Ada> & 12.50' }, '1').text).to.equal('<Ada> & 12.50\n');
  });

  it('has a subject of one line', () => {
    expect(mailFrom({ ...PARTS, subject: 'Order\r\nBcc: eve@example.com' }, '1').subject).to.equal(
      'Order Bcc: eve@example.com',
    );
  });

  for (const to of [
    'ada@example.com\r\nBcc: eve@example.com',
    'ada@example.com, eve@example.com',
    'Ada <ada@example.com>',
    'friends: ada@example.com;',
    'ada@example.com ',
    'ada',
    '',
    null,
  ])
    it(`is not sent to ${JSON.stringify(to)}`, () => {
      const isFinal = (error: unknown) => error instanceof DeliveryError && error.isFinal;
      expect(() => mailFrom({ ...PARTS, to }, '1'))
        .to.throw(DeliveryError)
        .that.satisfies(isFinal);
    });
});

describe('the plain text of HTML', () => {
  for (const [what, html, text] of [
    [
      'blocks become lines',
      '<h1>Thank\n you</h1><p>One<br>two</p><div>three</div>',
      'Thank you\n\nOne\ntwo\n\nthree\n',
    ],
    [
      'links keep their address',
      'See <a class="b" href="https://example.com/?a=1&amp;b=2">your <b>order</b></a>.',
      'See your order (https://example.com/?a=1&b=2).\n',
    ],
    ['a link that shows its address says it once', '<a href="mailto:a@b.c">a@b.c</a>', 'a@b.c\n'],
    ['items begin with a dash', '<ul><li>One</li><li>Two</li></ul>', '- One\n- Two\n'],
    [
      'cells stay on their line',
      '<table><tr><td>Tea</td><td>2</td></tr><tr><td>Milk</td><td>1</td></tr></table>',
      'Tea 2\n\nMilk 1\n',
    ],
    [
      'what nobody sees is left out',
      '<head><title>x</title></head><style>p > a {}</style><!-- no --><p>yes</p>',
      'yes\n',
    ],
    ['entities are decoded once', '&lt;b&gt; &amp;lt; &#8364; &#x20AC; &nope; &copy;', '<b> &lt; € € &nope; ©\n'],
  ] as const)
    it(what, () => expect(plainTextOf(html)).to.equal(text));
});
