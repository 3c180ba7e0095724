import { DriverWire } from './driver.ts';
import type { Session } from './session.ts';

const TIMEOUT = 2000;

/**
 * Asks the server to cancel what runs on a connection, over a connection of its own as the protocol has it. Resolves
 * when the server has hung up, for then it has passed the request on. Whether there was anything to cancel is not said.
 */
export function cancelRunning(session: Session): Promise<void> {
  const { host, port, ssl, sslNegotiation, processID, secretKey } = session;
  if (processID === null || secretKey === null) return Promise.resolve();
  const wire = new DriverWire({ ssl, sslNegotiation });
  const cancel = () => wire.cancel(processID, secretKey);
  const timer = setTimeout(() => wire.stream.destroy(), TIMEOUT);
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      wire.stream.destroy();
      resolve();
    };
    wire.once('end', finish).on('error', finish);
    wire.once('sslconnect', cancel);
    wire.once('connect', () => {
      if (!ssl) cancel();
      else if (sslNegotiation !== 'direct') wire.requestSsl();
    });
    if (host.startsWith('/')) wire.connect(`${host}/.s.PGSQL.${port}`);
    else wire.connect(port, host);
  });
}
