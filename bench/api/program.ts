/** The program of the benchmark: the blog, alone or among many other models, compiled to its definition and tables. */
import { readFileSync } from 'node:fs';
import { compile } from '../../compiler/compile.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { schemaSql } from '../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { kilnProgram } from '../compile/generate.ts';

interface BlogProgram {
  readonly definition: Definition;
  readonly schema: string;
}

/** `models` counts the three of the blog. */
export async function blogProgram(models = 3): Promise<BlogProgram> {
  await loadGrammar();
  const blog = { path: 'blog.kiln', text: readFileSync(new URL('./blog.kiln', import.meta.url), 'utf8') };
  const { definition } = compile([blog, ...(models > 3 ? kilnProgram(models - 3) : [])]);
  if (!definition) throw new Error('bench/api/blog.kiln has errors: see `kiln check bench/api`');
  return { definition, schema: schemaSql(schemaFromDefinition(definition)) };
}
