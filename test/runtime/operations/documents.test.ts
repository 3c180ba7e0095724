/** The exchanges that documents show: the first program of each is run and asked for them, one after the other. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { type Exchange, httpCaseFromText } from '../../support/http-case.ts';
import { filled, type Kept, mismatches } from '../../support/http-match.ts';
import { sendRequest } from '../../support/http-send.ts';
import { type Running, run, stopAll } from './running.ts';

const BLOCK = /^```(kiln|http)\n(.*?)^```$/gms;

for (const document of ['api.md', 'authentication.md']) {
  describe(`docs/${document}`, () => {
    const blocks = blocksOf(document);
    const program = blocks.find(({ language }) => language === 'kiln')?.text ?? '';
    const requests = blocks.filter(({ language }) => language === 'http');
    const text = requests.map(({ text: exchange, line }) => `### line ${line}\n${exchange}`).join('\n');
    const { exchanges } = httpCaseFromText(document, text);
    const kept: Kept = new Map();
    let app: Running;

    before(async () => {
      app = await run(program);
    });
    after(stopAll);

    for (const exchange of exchanges) {
      it(`shows what is answered: ${exchange.title}`, async () => {
        const seen = await sendRequest(app.application.url, exchange.request, kept);
        expect(mismatches(filledAnswer(exchange, kept), seen, kept)).to.deep.equal([]);
      });
    }
  });
}

function filledAnswer({ answer }: Exchange, kept: Kept): Exchange['answer'] {
  return { ...answer, body: answer.body && { ...answer.body, text: filled(answer.body.text, kept) } };
}

interface Block {
  readonly language: string;
  readonly text: string;
  readonly line: number;
}

function blocksOf(document: string): readonly Block[] {
  const text = readFileSync(resolve(import.meta.dirname, '../../../docs', document), 'utf8');
  return [...text.matchAll(BLOCK)].map(({ index, 1: language = '', 2: block = '' }) => ({
    language,
    text: block,
    line: text.slice(0, index).split('\n').length,
  }));
}
