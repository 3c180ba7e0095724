/** The store that `FILES_URL` names. */
import type { Definition } from '../../compiler/definition/definition.ts';
import { hasFiles } from '../../compiler/definition/files.ts';
import { memoized } from '../../compiler/definition/memo.ts';
import type { Config, FilesConfig } from '../config/config.ts';
import { folderStore } from './folder-store.ts';
import type { FileStore } from './store.ts';

/** Requests and jobs share one. The client for buckets is loaded where there is one. */
export const openStore = memoized(async (config: FilesConfig): Promise<FileStore> => {
  if (config.kind === 'folder') return folderStore(config.folder);
  const { bucketStore } = await import('./bucket-store.ts');
  return bucketStore(config);
});

/** What is missing for a server of an application with files, one sentence. */
export function storeProblems(definition: Definition, { files }: Pick<Config, 'files'>): readonly string[] {
  if (files !== null || !hasFiles(definition)) return [];
  return [
    'FILES_URL is not set: the application has files. It must look like `file:///var/files` or `s3://bucket?region=…`.',
  ];
}
