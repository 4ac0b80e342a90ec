// Parses a certificate of the tax authority: XML with an unencrypted private key and a hash of its password.
import { createHash, createPrivateKey, createPublicKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { XMLParser } from 'fast-xml-parser';
import type { Fault } from './address.ts';
import { digits } from './id-numbers.ts';

type Certificate = {
  nit: string;
  /** PKCS #8, base64. */
  privateKey: string;
  /** SHA-256 of the public key in hexadecimal. */
  fingerprint: string;
};

const parser = new XMLParser({ parseTagValue: false, processEntities: false, ignoreAttributes: true });
const MIN_BITS = 2048;

/** The certificate, or what is wrong with it. */
export function parseCertificate(xml: string, password: string): Certificate | Fault {
  const wrong = (message: string): Fault => ({ path: 'certificate', message });
  const root = parseXml(xml);
  if (!root) return wrong('must be the XML of a CertificadoMH');
  const nit = digits(textAt(root, 'nit'));
  const clave = textAt(root, 'privateKey', 'clave');
  const privateKey = textAt(root, 'privateKey', 'encodied').replaceAll(/\s/g, '');
  const publicKey = textAt(root, 'publicKey', 'encodied').replaceAll(/\s/g, '');
  if (!nit || !clave || !privateKey || !publicKey) return wrong('must contain nit, publicKey and privateKey with its clave');
  if (textAt(root, 'activo') === 'false') return wrong('is not active');
  if (!matchesHash(password, clave)) return { path: 'password', message: 'is not the password of the certificate' };
  const key = parseKey(privateKey);
  if (key?.asymmetricKeyType !== 'rsa' || (key.asymmetricKeyDetails?.modulusLength ?? 0) < MIN_BITS)
    return wrong(`must contain an RSA key of ${MIN_BITS} bits or more`);
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  if (spki.toString('base64') !== publicKey) return wrong('must contain a private key and the public key that belongs to it');
  return { nit, privateKey, fingerprint: createHash('sha256').update(spki).digest('hex') };
}

export const isFault = (parsed: Certificate | Fault): parsed is Fault => 'message' in parsed;

function matchesHash(password: string, clave: string): boolean {
  const hash = createHash('sha512').update(password, 'utf8').digest();
  const expected = Buffer.from(clave.trim(), 'hex');
  return expected.length === hash.length && timingSafeEqual(expected, hash);
}

function parseXml(xml: string): Record<string, unknown> | undefined {
  try {
    const root = (parser.parse(xml) as Record<string, unknown>).CertificadoMH;
    return typeof root === 'object' && root !== null ? (root as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function textAt(from: Record<string, unknown>, ...path: string[]): string {
  const value = path.reduce<unknown>((node, name) => (node as Record<string, unknown> | undefined)?.[name], from);
  return typeof value === 'string' ? value.trim() : '';
}

function parseKey(base64: string): KeyObject | undefined {
  try {
    return createPrivateKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'pkcs8' });
  } catch {
    return undefined;
  }
}
