import { expect } from 'chai';
import { fitsType } from '../../../runtime/files/fits-type.ts';
import { isAccepted } from '../../../runtime/values/file-rules.ts';
import { PNG } from './bucket.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');
const PAGE = bytes('\ufeff <!-- a -->\n<!DOCTYPE html><script>alert(1)</script>'.replace('\ufeff', '\xef\xbb\xbf'));

describe('types of files', () => {
  for (const [type, head] of Object.entries({
    'image/png': PNG,
    'image/jpeg': bytes('\xff\xd8\xff\xe0'),
    'image/gif': bytes('GIF89a'),
    'image/webp': bytes('RIFF\0\0\0\0WEBPVP8 '),
    'image/avif': bytes('\0\0\0\x1cftypavif'),
    'application/pdf': bytes('%PDF-1.7'),
    'application/zip': bytes('PK\x03\x04'),
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document': bytes('PK\x03\x04'),
    'application/gzip': bytes('\x1f\x8b'),
    'video/mp4': bytes('\0\0\0\x18ftypisom'),
    'video/webm': bytes('\x1a\x45\xdf\xa3'),
    'audio/mpeg': bytes('ID3\x04'),
    'audio/wav': bytes('RIFF\0\0\0\0WAVEfmt '),
    'audio/ogg': bytes('OggS'),
  }))
    it(`knows ${type}, and takes no page and no other text for it`, () => {
      expect(fitsType(head, type)).to.equal(true);
      expect(fitsType(PAGE, type)).to.equal(false);
      expect(fitsType(bytes('hello'), type)).to.equal(false);
      expect(fitsType(Buffer.alloc(0), type)).to.equal(false);
    });

  it('takes for text what has no control characters and is no page', () => {
    for (const type of ['text/plain', 'text/csv', 'application/json']) {
      expect(fitsType(bytes('a;b\r\n1;2'), type), type).to.equal(true);
      expect(fitsType(Buffer.from('Grüße 🎉'), type), type).to.equal(true);
      expect(fitsType(PNG, type), type).to.equal(false);
      expect(fitsType(PAGE, type), type).to.equal(false);
    }
    expect(fitsType(PAGE, 'text/html')).to.equal(true);
    expect(fitsType(bytes('<?xml version="1.0"?><svg/>'), 'image/svg+xml')).to.equal(true);
  });

  it('believes other types, but takes no page for a picture', () => {
    expect(fitsType(bytes('anything'), 'application/x-own')).to.equal(true);
    expect(fitsType(bytes('anything'), 'image/x-own')).to.equal(true);
    expect(fitsType(PAGE, 'image/x-own')).to.equal(false);
    expect(fitsType(bytes('<svg onload=alert(1)>'), 'image/x-own')).to.equal(false);
  });

  it('says so at once, whatever is repeated', () => {
    for (const part of ['<!---->', '<??>', ' ', '<!--', '<!-- -', '<?', '<!---->\n<??>'])
      expect(fitsType(bytes(part.repeat(512 / part.length)), 'text/plain'), part).to.equal(true);
    expect(fitsType(bytes(`${'<!---->'.repeat(60)}<script>`), 'text/plain')).to.equal(false);
  });

  it('accepts what is listed, and pictures with code in them only by their own name', () => {
    expect(isAccepted('image/png', [])).to.equal(true);
    expect(isAccepted('image/png', ['image/*'])).to.equal(true);
    expect(isAccepted('text/plain', ['image/*', 'image/png'])).to.equal(false);
    expect(isAccepted('image/svg+xml', ['image/*'])).to.equal(false);
    expect(isAccepted('image/svg+xml', ['image/*', 'image/svg+xml'])).to.equal(true);
  });
});
