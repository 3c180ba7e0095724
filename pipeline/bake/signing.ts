/**
 * Signs what a build says about its image as a DSSE envelope, the form that `cosign attach attestation` takes, and checks
 * such an envelope. Keys are PEM: EC, Ed25519 or RSA.
 */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { systemReason } from '../../files/system-reason.ts';
import { BuildRefusal } from './build-refusal.ts';

export const SIGNED_PROVENANCE = 'provenance.dsse.json';

const PAYLOAD_TYPE = 'application/vnd.in-toto+json';

/** KILN_SIGNING_KEY is the key itself, as secrets of CI are, or a file. Undefined where nothing is signed. */
export function signingKey(): KeyObject | undefined {
  const given = process.env.KILN_SIGNING_KEY ?? '';
  if (given === '') return undefined;
  const text = given.includes('-----BEGIN') ? given : fileText(given, 'KILN_SIGNING_KEY');
  return readKey(createPrivateKey, text, 'KILN_SIGNING_KEY is not an unencrypted private key in PEM');
}

export function verifyingKey(file: string): KeyObject {
  return readKey(createPublicKey, fileText(file, '--key'), `\`${file}\` is not a public key in PEM`);
}

export function envelopeOf(statement: string, key: KeyObject): string {
  const payload = Buffer.from(statement);
  const sig = sign(hashFor(key), signedBytes(payload), key).toString('base64');
  const envelope = { payloadType: PAYLOAD_TYPE, payload: payload.toString('base64'), signatures: [{ keyid: '', sig }] };
  return `${JSON.stringify(envelope)}\n`;
}

/** The statement that the key has signed; undefined where it has not. */
export function signedStatement(text: string, key: KeyObject): string | undefined {
  const { payloadType, payload, signatures } = envelopeFrom(text);
  if (payloadType !== PAYLOAD_TYPE || typeof payload !== 'string' || !Array.isArray(signatures)) return undefined;
  const bytes = Buffer.from(payload, 'base64');
  const isSigned = signatures.some(
    ({ sig }) => typeof sig === 'string' && verify(hashFor(key), signedBytes(bytes), key, Buffer.from(sig, 'base64')),
  );
  return isSigned ? bytes.toString('utf8') : undefined;
}

function envelopeFrom(text: string): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(text) as Record<string, unknown> | null) ?? {};
  } catch {
    return {};
  }
}

/** What DSSE signs: the type and the payload, each with its length. */
function signedBytes(payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `), payload]);
}

/** Keys on Edwards curves hash by themselves. */
function hashFor({ asymmetricKeyType }: KeyObject): string | null {
  return asymmetricKeyType?.startsWith('ed') ? null : 'sha256';
}

function fileText(file: string, what: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new BuildRefusal(`the key of ${what} cannot be read: ${systemReason(error)}`);
  }
}

/** The reason of the library is not told: it may quote the key. */
function readKey(read: (text: string) => KeyObject, text: string, refusal: string): KeyObject {
  try {
    return read(text);
  } catch {
    throw new BuildRefusal(refusal);
  }
}
