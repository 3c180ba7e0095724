import { type Explanation, kiln } from './explanation.ts';

const ORDER = kiln`
  model Order {
    field total { type integer }
    hook receipt { arg total total, source receipt from "receipts" }
  }
`;

/** What is found when the files of hooks are bundled; the sources themselves are fine. */
export const hookFileExplanations = {
  'hook-import-missing': {
    text: 'The file of a hook imports something that is not there: another file with a slip in its path, or a package that is not installed. The code of hooks is bundled with all that it imports, so that an image needs no packages of its own.',
    source: ORDER,
    files: {
      'hooks/receipts.ts': kiln`
        import { euros } from './mony.ts';

        export function receipt({ total }: { total: number }) {
          return euros(total);
        }
      `,
      'hooks/money.ts': kiln`
        export const euros = (cents: number) => (cents / 100).toFixed(2);
      `,
    },
    fix: [['./mony.ts', './money.ts']],
  },

  'bad-hook-code': {
    text: 'The file of a hook is not JavaScript or TypeScript that can be read; the message says what is wrong, and where. Types are not checked here: for that, run `tsc` over the folder of hooks.',
    source: ORDER,
    files: {
      'hooks/receipts.ts': kiln`
        export function receipt({ total }: { total: number }) {
          return total * ;
        }
      `,
    },
    fix: [['total * ;', 'total * 2;']],
  },
} satisfies Readonly<Record<string, Explanation>>;
