/** Kiln's server as a process of its own: serves the definition in the file that `KILN_DEFINITION` names. */
import { readFileSync } from 'node:fs';
import type { Definition } from '../../compiler/definition/definition.ts';
import { configFromEnvironment } from '../../runtime/config/config-from-environment.ts';
import { startServer } from '../../runtime/serve.ts';

const result = configFromEnvironment(process.env);
if (!result.ok) throw new Error(result.problems.join('\n'));
const definition: Definition = JSON.parse(readFileSync(process.env.KILN_DEFINITION ?? '', 'utf8'));
const { stop } = await startServer({ definition, hooks: {}, config: result.config });
process.once('SIGTERM', () => stop());
