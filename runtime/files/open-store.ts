/** The store that `FILES_URL` names. */
import type { FilesConfig } from '../config/config.ts';
import { folderStore } from './folder-store.ts';
import type { FileStore } from './store.ts';

/** The client for buckets is loaded where there is one. */
export async function openStore(config: FilesConfig): Promise<FileStore> {
  if (config.kind === 'folder') return folderStore(config.folder);
  const { bucketStore } = await import('./bucket-store.ts');
  return bucketStore(config);
}
