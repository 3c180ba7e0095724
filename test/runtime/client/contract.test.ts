import { expect } from 'chai';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { ApiError, type ContractMismatch, createClient } from '../../compiler/client/golden/blog.ts';
import { contractIn } from './contract-in.ts';
import { failureOf } from './failure.ts';
import { type Live, startExample } from './live.ts';

describe('a client of another release', () => {
  const OTHER = 'ffffffffffffffff';
  let live: Live;

  before(async () => {
    await loadGrammar();
    live = await startExample('blog', OTHER);
  });

  after(() => live.stop());

  it('says so once, and goes on working', async () => {
    const mismatches: ContractMismatch[] = [];
    const client = createClient({ baseUrl: live.url, onContractMismatch: (mismatch) => mismatches.push(mismatch) });
    await client.tag.create({ name: 'news' });
    expect(await client.tag.list()).to.deep.equal([{ name: 'news' }]);
    expect(mismatches).to.deep.equal([{ client: contractIn('blog'), server: OTHER }]);
  });

  it('has it in its errors', async () => {
    const client = createClient({ baseUrl: live.url, onContractMismatch: () => undefined });
    const error = await failureOf(client.post('nobody').get(), ApiError);
    expect(error).to.include({ code: 'not-found', otherContract: OTHER });
    expect(error.message).to.include(
      `(The API of the server differs from the one that this client was generated for: ${OTHER}.)`,
    );
  });

  it('warns on the console where nobody else is told, once for all clients', async () => {
    const { warn } = console;
    const warnings: unknown[] = [];
    console.warn = (text: unknown) => warnings.push(text);
    try {
      const client = createClient({ baseUrl: live.url });
      await client.tag.list();
      await client.tag.list();
      await createClient({ baseUrl: live.url }).tag.list();
    } finally {
      console.warn = warn;
    }
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.include(OTHER).and.to.include(contractIn('blog')).and.to.include('kiln compile');
  });
});
