/** What those who run applications read first is short, and says how to prove it. */
import { expect } from 'chai';
import { partsFromText, readDocument } from '../support/document-parts.ts';

describe('the documents on deployment', () => {
  it('say it in 2,500 words', () => {
    expect(readDocument('docs/deployment.md').split(/\s+/).length).to.be.at.most(2500);
  });

  it('have ten commands that prove it, each with what it proves', () => {
    const text = readDocument('docs/before-you-go-live.md');
    const commands = partsFromText(text).filter((part) => part.kind === 'block');
    const numbers = [...text.matchAll(/^\*\*(\d+)\. [^*]+\*\*/gm)].map(([, number]) => Number(number));
    expect(numbers).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(commands).to.have.length(10);
  });
});
