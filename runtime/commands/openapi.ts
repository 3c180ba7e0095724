import { applicationFolder, loadOpenApi } from '../load/application-folder.ts';
import type { Command } from './command.ts';

/** `openapi`: the document of the API, as `/openapi.json` serves it. */
export const openapi: Command = async (environment) => {
  process.stdout.write(loadOpenApi(applicationFolder(environment)).whole());
  return 0;
};
