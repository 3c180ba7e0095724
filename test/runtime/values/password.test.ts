import { scryptSync } from 'node:crypto';
import { expect } from 'chai';
import { hashPassword, verifyPassword } from '../../../runtime/values/password.ts';
import { randomToken } from '../../../runtime/values/uuid.ts';

describe('runtime/values/password', () => {
  it('knows a password by its hash', async () => {
    const hash = await hashPassword('correct horse');
    expect(hash).to.match(/^scrypt\$32768\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
    expect(await verifyPassword('correct horse', hash)).to.equal(true);
    expect(await verifyPassword('correct house', hash)).to.equal(false);
  });

  it('gives the same password another hash each time', async () => {
    expect(await hashPassword('same')).to.not.equal(await hashPassword('same'));
  });

  it('knows hashes of another cost', async () => {
    const salt = Buffer.from('0123456789abcdef');
    const hash = scryptSync('old', salt, 32, { N: 1024, r: 8, p: 2 }).toString('base64url');
    const stored = `scrypt$1024$8$2$${salt.toString('base64url')}$${hash}`;
    expect(await verifyPassword('old', stored)).to.equal(true);
    expect(await verifyPassword('new', stored)).to.equal(false);
  });

  it('takes one letter written in two ways for the same', async () => {
    expect(await verifyPassword('cafe\u0301', await hashPassword('caf\u00e9'))).to.equal(true);
  });

  const SALTED = `${'a'.repeat(22)}$${'b'.repeat(43)}`;
  const wrong = [
    '',
    'plain',
    `scrypt$3$8$1$${SALTED}`,
    `scrypt$524288$8$1$${SALTED}`,
    `scrypt$32768$0$1$${SALTED}`,
    'scrypt$32768$8$1$$',
  ];
  for (const stored of wrong) {
    it(`fits no password to ${JSON.stringify(stored)}`, async () => {
      expect(await verifyPassword('x', stored)).to.equal(false);
    });
  }

  it('makes tokens of the length that is asked for', () => {
    for (const length of [1, 2, 3, 4, 22, 1024])
      expect(randomToken(length)).to.match(new RegExp(`^[\\w-]{${length}}$`));
    expect(randomToken()).to.have.length(43);
    expect(randomToken()).to.not.equal(randomToken());
  });
});
