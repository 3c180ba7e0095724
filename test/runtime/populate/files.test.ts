/** Files of populated records: null where they may be, and else tiny ones that are really stored. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { fitsType } from '../../../runtime/files/fits-type.ts';
import { folderStore } from '../../../runtime/files/folder-store.ts';
import { sampleFor } from '../../../runtime/populate/sample-files.ts';
import { type Populating, populating, refusal } from './populating.ts';

const program = (rules: string) => `
  model Note { field scan { type file, ${rules} } field photo { type file, nullable } }
  populator Dev { populate Note { repeat as i 3 } }`;

interface Row {
  readonly scan: { readonly id: string; readonly name: string; readonly type: string; readonly size: number };
  readonly photo: null;
}

describe('files of populated records', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-files-'));
  after(() => rmSync(folder, { recursive: true }));

  const files = { kind: 'folder', folder } as const;
  const rowsOf = async (made: Populating) => {
    const rows: unknown = await made.rows('SELECT scan, photo FROM "note" ORDER BY id');
    return rows as readonly Row[];
  };

  it('are null where they may be, and fit what the field takes where they may not', async () => {
    const made = await populating(program('accept { "image/*" }'));
    await made.populate({ files });
    const rows = await rowsOf(made);
    expect(rows.map(({ photo }) => photo)).to.deep.equal([null, null, null]);
    expect(readdirSync(join(folder, 'files')).sort()).to.deep.equal(rows.map(({ scan }) => scan.id).sort());
    expect(readdirSync(join(folder, 'uploads'))).to.deep.equal([]);
    for (const { scan } of rows) {
      const bytes = await buffer(await folderStore(folder).read(scan.id));
      expect(scan).to.include({ name: 'example.png', type: 'image/png', size: bytes.length });
      expect(fitsType(bytes, 'image/png')).to.equal(true);
    }
    await made.populate({ files });
    expect(new Set((await rowsOf(made)).map(({ scan }) => scan.id)).size).to.equal(6);
  });

  it('are refused with a reason where there is no store, or no tiny file that fits', async () => {
    const place = 'Note.scan of record 1 in populate Note: ';
    expect(await refusal((await populating(program(''))).populate())).to.equal(
      `${place}it must have a file, and FILES_URL is not set`,
    );
    const small = await populating(program('accept { "font/*" }'));
    expect(await refusal(small.populate({ files }))).to.equal(
      `${place}no tiny file is known that fits its \`accept\` and \`max\`: make the field nullable`,
    );
  });

  for (const type of 'image/png image/jpeg image/gif image/webp image/avif image/heic image/bmp image/tiff image/svg+xml image/* text/plain text/csv text/html text/* application/json application/pdf application/zip application/gzip application/x-own application/vnd.openxmlformats-officedocument.wordprocessingml.document video/mp4 video/quicktime video/webm video/ogg video/* audio/mpeg audio/mp4 audio/wav audio/ogg audio/*'.split(
    ' ',
  ))
    it(`are known for ${type}`, () => {
      const [found, bytes] = sampleFor({ accept: [type], max: 1000 }) ?? ['', Buffer.alloc(0)];
      expect(found.startsWith(type.replace('*', ''))).to.equal(true);
      expect(fitsType(bytes, found)).to.equal(true);
    });
});
