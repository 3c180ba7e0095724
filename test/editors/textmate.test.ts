import { expect } from 'chai';
import { EXAMPLES } from './sources.ts';
import { type ScopedToken, tokensOf } from './textmate.ts';

/** A source, and what is seen of it: each token with the shortest name of its innermost scope. */
const CONSTRUCTS: Readonly<Record<string, readonly [string, string]>> = {
  'a doc comment and a model': [
    '/// Who writes.\nmodel Author was Writer {}',
    'documentation:/// Who writes.|keyword:model|type:Author|keyword:was|type:Writer|begin:{|end:}',
  ],
  'a field with a type, a flag and a default': [
    'model A { field type { type string unique default "a\\n" nullable } }',
    'keyword:model|type:A|begin:{|keyword:field|property:type|begin:{|keyword:type|primitive:string|modifier:unique|keyword:default|begin:"|double:a|escape:\\n|end:"|modifier:nullable|end:}|end:}',
  ],
  'a rule for deletion': [
    'model A { reference b { to B, on delete set null } }',
    'keyword:model|type:A|begin:{|keyword:reference|property:b|begin:{|keyword:to|type:B|separator:,|keyword:on|keyword:delete|keyword:set|modifier:null|end:}|end:}',
  ],
  'what the records that exist refer to': [
    'model A { reference b { to B, backfill coalesce(c, d.e), was f } }',
    'keyword:model|type:A|begin:{|keyword:reference|property:b|begin:{|keyword:to|type:B|separator:,|keyword:backfill|function:coalesce|begin:(|other:c|separator:,|other:d|accessor:.|property:e|end:)|separator:,|keyword:was|other:f|end:}|end:}',
  ],
  'validators, of the language and of the author': [
    'model A { field b { validate { minLength(2) and own() } } }',
    'keyword:model|type:A|begin:{|keyword:field|property:b|begin:{|keyword:validate|begin:{|function:minLength|begin:(|integer:2|end:)|expression:and|function:own|begin:(|end:)|end:}|end:}|end:}',
  ],
  'the caller and a comparison': [
    'api { entrypoint A as a { authorize { @auth.team is not null or a.x >= 1.5 } } }',
    'keyword:api|begin:{|keyword:entrypoint|type:A|keyword:as|other:a|begin:{|keyword:authorize|begin:{|language:@auth|accessor:.|property:team|expression:is|expression:not|language:null|expression:or|other:a|accessor:.|property:x|operator:>=|float:1.5|end:}|end:}|end:}',
  ],
  'an endpoint of its own': [
    'api { entrypoint A { POST one "go" { method GET } } }',
    'keyword:api|begin:{|keyword:entrypoint|type:A|begin:{|language:POST|modifier:one|begin:"|double:go|end:"|begin:{|keyword:method|language:GET|end:}|end:}|end:}',
  ],
  'the code of a hook': [
    'model A { hook b { inline """\n  return 1\n""" } }',
    'keyword:model|type:A|begin:{|keyword:hook|property:b|begin:{|keyword:inline|begin:"""|javascript:  return 1|end:"""|end:}|end:}',
  ],
  'a word that is wrong': [
    'model A { fields b {} }\nenum B { c }',
    'keyword:model|type:A|begin:{|other:fields|other:b|begin:{|end:}|end:}|keyword:enum|type:B|begin:{|enummember:c|end:}',
  ],
  'a value that is not written yet': [
    'model A { field b { default } }\nenum B { c }',
    'keyword:model|type:A|begin:{|keyword:field|property:b|begin:{|keyword:default|end:}|end:}|keyword:enum|type:B|begin:{|enummember:c|end:}',
  ],
  'a text that is not closed': [
    'model A { field b { default "a }\n } }\nenum B { c }',
    'keyword:model|type:A|begin:{|keyword:field|property:b|begin:{|keyword:default|begin:"|double:a }|end:}|end:}|keyword:enum|type:B|begin:{|enummember:c|end:}',
  ],
};

describe('the TextMate grammar', () => {
  for (const [what, [source, shown]] of Object.entries(CONSTRUCTS)) {
    it(`shows ${what}`, () => {
      expect(seen(source)).to.equal(shown);
    });
  }

  it('leaves no word of the examples without a scope', () => {
    const plain = EXAMPLES.flatMap(({ name, text }) =>
      tokensOf(text)
        .filter((token) => token.scopes.length === 0 && token.text.trim() !== '')
        .map((token) => `${name}: ${token.text}`),
    );
    expect(plain).to.deep.equal([]);
  });
});

function seen(source: string): string {
  return tokensOf(source)
    .filter(({ text }) => text.trim() !== '')
    .map((token) => `${shortScope(token)}:${token.text}`)
    .join('|');
}

/** The last word that says something: `keyword` for `keyword.other`, `type` for `entity.name.type.model`. */
function shortScope({ scopes }: ScopedToken): string {
  const words = (scopes.at(-1) ?? 'plain').split('.').filter((word) => word !== 'kiln');
  if (words[0] === 'keyword' && words[1] === 'other') return 'keyword';
  if (words[0] === 'entity') return words[2] ?? '';
  return words.at(-1) ?? '';
}
