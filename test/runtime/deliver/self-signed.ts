import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A key for `localhost`, and its certificate, which nobody trusts unless told to. The folder is to be removed. */
export function selfSigned() {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-tls-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', ...subject];
  execFileSync('openssl', [...made, '-keyout', key, '-out', cert, '-days', '2'], { stdio: 'ignore' });
  return { files: { folder, cert }, key: readFileSync(key), cert: readFileSync(cert) };
}
