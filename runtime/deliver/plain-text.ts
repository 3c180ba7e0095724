/** The plain text of a mail that has only HTML: blocks become lines, and links keep their addresses. */

/** The content of these is not for reading. */
const UNSEEN = /<!--.*?-->|<(script|style|head|title)\b.*?<\/\1\s*>/gis;
const LINK = /<a\b[^>]*?\shref\s*=\s*(?:"([^"]*)"|'([^']*)')[^>]*>(.*?)<\/a\s*>/gis;
const BLOCK =
  /<\/?(?:address|article|aside|blockquote|center|div|dl|dt|dd|fieldset|footer|form|h[1-6]|header|hr|main|nav|ol|p|pre|section|table|tr|ul)\b[^>]*>/gi;
const TAG = /<\/?[a-z][^>]*>|<![^>]*>/gi;

export function plainTextOf(html: string): string {
  const text = html
    .replace(UNSEEN, ' ')
    .replace(/\s+/g, ' ')
    .replace(LINK, (_, double: string | undefined, single: string | undefined, inside: string) =>
      withAddress(inside.replace(TAG, '').trim(), double ?? single ?? ''),
    )
    .replace(/<br\b[^>]*>/gi, '\n')
    .replace(/<li\b[^>]*>/gi, '\n- ')
    .replace(/<\/t[dh]\s*>/gi, ' ')
    .replace(BLOCK, '\n\n')
    .replace(TAG, '');
  const lines = decoded(text).split('\n');
  return `${lines
    .map((line) => line.trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()}\n`;
}

/** A link that shows its own address says it once. */
function withAddress(text: string, address: string): string {
  const isShown = address === '' || address.startsWith('#') || address.replace(/^mailto:/, '') === text;
  return isShown ? text : `${text} (${address})`.trimStart();
}

// biome-ignore format: a table of signs
const NAMED: Readonly<Record<string, string>> = {
  amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', copy: '©', reg: '®', euro: '€', pound: '£', times: '×',
  ndash: '–', mdash: '—', hellip: '…', lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', laquo: '«', raquo: '»', bull: '•',
  auml: 'ä', ouml: 'ö', uuml: 'ü', Auml: 'Ä', Ouml: 'Ö', Uuml: 'Ü', szlig: 'ß', eacute: 'é', middot: '·', shy: '',
};

function decoded(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(NAMED, name) ? (NAMED[name] as string) : whole;
    const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}
