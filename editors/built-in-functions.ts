import { BUILT_IN_VALIDATORS } from '../compiler/check/validations.ts';
import { FUNCTIONS } from '../compiler/program/program.ts';

/** What can be called without being declared: functions and validators, some of which share a name. */
export const BUILT_IN_FUNCTIONS: readonly string[] = [...new Set<string>([...FUNCTIONS, ...BUILT_IN_VALIDATORS])];
