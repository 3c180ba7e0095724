import type { codeWords } from '../catalogue/code.ts';
import { POST_TITLE } from './example-models.ts';
import { type Explanation, kiln } from './explanation.ts';

const RECEIPTS = { 'hooks/receipts.ts': 'export function receipt() {}\n' };

/** Validators, hooks, runtimes. */
export const codeExplanations = {
  'not-a-validator': {
    text: 'A `validate` consists of validators. Each validator has the error code and the message that a client gets for an invalid value. A bare comparison has neither. Use a built-in one, or declare a `validator` of your own.',
    source: kiln`
      model Post {
        field title { type string, validate { length(title) > 3 } }
      }
    `,
    fix: [['length(title) > 3', 'minLength(4)']],
  },

  'validator-without-value': {
    text: 'On a field, a validator checks the value of that field. In an action there is no such value, so pass it as the first argument.',
    source: kiln`
      ${POST_TITLE}

      api {
        entrypoint Post {
          create endpoint {
            extra inputs { field agreed { type boolean } }
            action {
              validate with key "agreed" { isEqualBool() }
              create {}
            }
          }
        }
      }
    `,
    fix: [['isEqualBool()', 'isEqualBool(agreed, true)']],
  },

  'mixed-list-validators': {
    text: 'In a list, `minItems`, `maxItems` and `distinct` check the whole list, and every other validator checks each item. `or` and `not` can contain only one of these two kinds. `and` can join both.',
    source: kiln`
      model Post {
        field tags { type [string], validate { minItems(1) or minLength(2) } }
      }
    `,
    fix: [[' or ', ' and ']],
  },

  'validator-on-wrong-type': {
    text: 'Each validator checks values of one type: `minLength` checks texts, `min` checks numbers. It cannot check a value of another type.',
    source: kiln`
      model Product {
        field stock { type integer, validate { minLength(1) } }
      }
    `,
    fix: [['minLength', 'min']],
  },

  'pattern-not-literal': {
    text: 'A pattern is read and checked when the sources are compiled, and it goes into the documentation of the API. So it must be one text in quotes.',
    source: kiln`
      model Post {
        field slug { type string, validate { pattern(lower("^[A-Z]+$")) } }
      }
    `,
    fix: [['lower("^[A-Z]+$")', '"^[a-z]+$"']],
  },

  'bad-pattern': {
    text: 'The text is not a regular expression as JavaScript knows them, with the flag `u`; the label says what is wrong with it. Kiln checks this at compile time, so that no request fails later.',
    source: kiln`
      model Post {
        field slug { type string, validate { pattern("^[a-z+$") } }
      }
    `,
    fix: [['[a-z+', '[a-z]+']],
  },

  'unsupported-pattern': {
    text: 'Patterns are matched in linear time, so that no text of a client can keep the server busy. Lookahead, lookbehind and backreferences cannot be matched in linear time, and repetitions have a limit. Write a second `pattern` instead of a lookahead: all patterns that are joined by `and` must match.',
    source: kiln`
      model Account {
        field code { type string, validate { pattern("^(?=.*[0-9])[a-z0-9]+$") } }
      }
    `,
    fix: [['pattern("^(?=.*[0-9])[a-z0-9]+$")', 'pattern("[0-9]") and pattern("^[a-z0-9]+$")']],
  },

  'built-in-validator': {
    text: 'Kiln has a validator of this name, and another one under the same name would change what other sources mean by it. Choose another name for yours.',
    source: kiln`
      model Author {
        field email { type string, validate { isEmail() } }
      }

      validator isEmail {
        arg value { type string }
        assert { length(value) > 3 }
        error { code "not-an-email" }
      }
    `,
    fix: [['validator isEmail', 'validator isLongEnough']],
  },

  'validator-without-argument': {
    text: 'A validator checks a value, which is its first argument. Without an argument it has no value to check.',
    source: kiln`
      validator notReserved {
        assert { 1 is 1 }
        error { code "reserved-word" }
      }
    `,
    fix: [['assert { 1 is 1 }', 'arg value { type string }\n  assert { value is not "admin" }']],
  },

  'validator-without-assert': {
    text: 'The `assert` of a validator is the condition for valid values. Without it, every value would be valid.',
    source: kiln`
      validator notReserved {
        arg value { type string }
        error { code "reserved-word" }
      }
    `,
    fix: [['type string }\n', 'type string }\n  assert { value is not "admin" }\n']],
  },

  'validator-without-code': {
    text: 'For an invalid value, the client gets an error code that programs can use. The validator must have such a code.',
    source: kiln`
      validator notReserved {
        arg value { type string }
        assert { value is not "admin" }
      }
    `,
    fix: [['"admin" }\n', '"admin" }\n  error { code "reserved-word" }\n']],
  },

  'bad-error-code': {
    text: 'An error code is for programs, so it has one form: words of lower-case letters and digits, joined by `-`. The message is for people.',
    source: kiln`
      validator notReserved {
        arg value { type string }
        assert { value is not "admin" }
        error { code "Reserved word!" }
      }
    `,
    fix: [['Reserved word!', 'reserved-word']],
  },

  'empty-message': {
    text: 'The message of a validator is what people read when a value is invalid. Without one the response says `must satisfy` and the name of the validator.',
    source: kiln`
      validator notReserved {
        arg value { type string }
        assert { value is not "admin" }
        error { code "reserved", message "" }
      }
    `,
    fix: [['message ""', 'message "choose another name"']],
  },

  'hook-without-code': {
    text: 'A hook is custom code: one expression with `inline`, or a function of a file with `source name from "file"`. This hook has neither.',
    source: kiln`
      model Order {
        field total { type decimal }
        hook receipt { arg total total }
      }
    `,
    files: RECEIPTS,
    fix: [['arg total total }', 'arg total total, source receipt from "receipts" }']],
  },

  'hook-with-two-codes': {
    text: 'A hook has one piece of code. With both `source` and `inline` it is not clear which one runs.',
    source: kiln`
      model Order {
        field total { type integer }
        hook receipt { arg total total, inline "total * 2", source receipt from "receipts" }
      }
    `,
    files: RECEIPTS,
    fix: [[' inline "total * 2",', '']],
  },

  'empty-result': {
    text: 'A `returns` in braces names the members of the object that the hook returns. Other members are removed, so without any name the result would be empty.',
    source: kiln`
      model Order {
        field total { type integer }
        hook receipt { arg total total, inline "({ cents: total * 100 })", returns {} }
      }
    `,
    fix: [['returns {}', 'returns { cents: integer }']],
  },

  'returns-with-responds': {
    text: 'With `responds` the hook writes the response itself, and its return value is ignored. So it has no result type.',
    source: kiln`
      ${POST_TITLE}

      api {
        entrypoint Post {
          GET many "export" {
            action { execute { hook { source receipt from "receipts", returns string }, responds } }
          }
        }
      }
    `,
    files: RECEIPTS,
    fix: [[', returns string', '']],
  },

  'runtime-of-inline': {
    text: 'A runtime says in which folder the files of hooks are. Inline code is not in a file, so it has no runtime.',
    source: kiln`
      model Order {
        field total { type integer }
        hook doubled { arg total total, inline "total * 2", runtime Billing }
      }

      runtime Billing { source path "billing" }
    `,
    fix: [[', runtime Billing }', ' }']],
  },

  'bad-inline-code': {
    text: 'Inline code is one JavaScript expression, whose value is the value of the hook: no `return`, no `;`. Longer code belongs in a file.',
    source: kiln`
      model Order {
        field total { type integer }
        hook doubled { arg total total, inline "return total * 2" }
      }
    `,
    fix: [['return ', '']],
  },

  'hook-outside-folder': {
    text: 'The files of hooks are in one folder: `hooks`, or the folder of a runtime. A file outside of it may be missing when the image is built.',
    source: kiln`
      model Order {
        field total { type integer }
        hook receipt { arg total total, source receipt from "../lib/receipts" }
      }
    `,
    files: RECEIPTS,
    fix: [['../lib/receipts', 'receipts']],
  },

  'hook-file-missing': {
    text: 'There is no file of this name in the folder of hooks. The path is relative to that folder, and the ending (`.ts`, `.js`, `.mts`, `.mjs`) may be left out.',
    source: kiln`
      model Order {
        field total { type integer }
        hook receipt { arg total total, source receipt from "reciepts" }
      }
    `,
    files: RECEIPTS,
    fix: [['reciepts', 'receipts']],
  },

  'hook-export-missing': {
    text: 'The file is there, but it exports no function of this name. A function that is not exported cannot be called from outside of its file.',
    source: kiln`
      model Order {
        field total { type integer }
        hook receipt { arg total total, source reciept from "receipts" }
      }
    `,
    files: RECEIPTS,
    fix: [['reciept from', 'receipt from']],
  },

  'runtime-without-path': {
    text: 'A runtime names the folder of the files of its hooks. Without it, no hook of this runtime could be found.',
    source: kiln`
      runtime Billing { default }
    `,
    fix: [['default', 'default, source path "billing"']],
  },

  'two-default-runtimes': {
    text: 'The default runtime is the one that hooks use when they name none, so there is one at most. Keep the word in one of them, and name the other runtime in the hooks that use it.',
    source: kiln`
      model Order {
        field total { type integer }
        hook parcel { arg total total, source parcel from "parcels", runtime Shipping }
      }

      runtime Billing { default, source path "billing" }
      runtime Shipping { default, source path "shipping" }
    `,
    files: { 'shipping/parcels.ts': 'export function parcel() {}\n' },
    fix: [['Shipping { default, ', 'Shipping { ']],
  },

  'unused-runtime': {
    text: 'Hooks that name no runtime use the default one, or the only one; without either, their files are in `hooks`. The code of any other runtime is used only by hooks that name it. This is a warning: nothing uses the folder of this runtime. Make it the default, name it in the hooks that mean it, or remove it.',
    source: kiln`
      model Order {
        field total { type integer }
        hook receipt { arg total total, source receipt from "receipts", runtime Billing }
      }

      runtime Billing { source path "billing" }
      runtime Shipping { source path "shipping" }
    `,
    files: { 'billing/receipts.ts': 'export function receipt() {}\n' },
    fix: [['source path "shipping"', 'source path "shipping", default']],
  },

  'path-outside-project': {
    text: 'Everything that Kiln reads and writes is inside of the folder of the project. Only what is in there is part of a revision, so only that is there when an image is built.',
    source: kiln`
      runtime Billing { source path "../billing" }
    `,
    fix: [['../billing', 'billing']],
  },
} satisfies Record<keyof typeof codeWords, Explanation>;
