/** The reason why the operating system refused, in words. Any other error is a bug in Kiln, and is thrown again. */
export function systemReason(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (!code) throw error;
  return REASONS[code] ?? `the system reported ${code}`;
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'it already exists',
  ELOOP: 'its links form a cycle',
  ENAMETOOLONG: 'the name is too long',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EMFILE: 'too many files are open',
  EIO: 'the disk failed',
};
