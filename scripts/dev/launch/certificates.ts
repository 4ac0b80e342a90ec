// The certificate authority and the certificates for calls between processes. `npm run secrets` creates them for an installation, the launcher for
// one start. Each certificate names its process and is valid for both ends of a connection.
import 'reflect-metadata';
import { webcrypto, X509Certificate } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import x509 from '@peculiar/x509';

/** A certificate and its private key, as PEM. */
export type Pair = { certificate: string; key: string };

const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 3650;
const PROCESS_DAYS = 365;
/** `npm run secrets` replaces a certificate that expires sooner than this. */
const RENEWAL_DAYS = 60;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

x509.cryptoProvider.set(webcrypto as never); // the types of node and of browsers differ

export async function createAuthority(): Promise<Pair> {
  const keys = await makeKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...validFor(AUTHORITY_DAYS),
    name: 'CN=clinic authority',
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [new x509.BasicConstraintsExtension(true, 0, true), new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true)],
  });
  return { certificate: certificate.toString('pem'), key: await exportKey(keys.privateKey) };
}

/** A certificate for the process `name`. */
export async function issueCertificate(authority: Pair, name: string): Promise<Pair> {
  const keys = await makeKeys();
  const issuer = new x509.X509Certificate(authority.certificate);
  const certificate = await x509.X509CertificateGenerator.create({
    ...validFor(PROCESS_DAYS),
    subject: `CN=${name}`,
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey: await webcrypto.subtle.importKey('pkcs8', x509.PemConverter.decodeFirst(authority.key), ALGORITHM, false, ['sign']),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
      new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: name }]),
    ],
  });
  return { certificate: certificate.toString('pem'), key: await exportKey(keys.privateKey) };
}

/** Whether the certificate must be replaced: it is from another authority, or expires soon. */
export function isDue(certificate: string, authority: string): boolean {
  const [own, issuer] = [new X509Certificate(certificate), new X509Certificate(authority)];
  return !own.verify(issuer.publicKey) || own.validToDate.getTime() < Date.now() + RENEWAL_DAYS * DAY_MS;
}

/** Writes certificates of a new authority into the folder, without the authority's key. The result returns the settings of each process. */
export async function writeCertificates(folder: string, processes: string[]): Promise<(process: string) => NodeJS.ProcessEnv> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const authority = await createAuthority();
  const file = (name: string) => path.join(folder, `${name}.pem`);
  writeFileSync(file('ca'), authority.certificate);
  for (const name of processes) {
    const { certificate, key } = await issueCertificate(authority, name);
    writeFileSync(file(name), certificate);
    writeFileSync(file(`${name}-key`), key, { mode: 0o600 });
  }
  return (process) => ({ TLS_CA: file('ca'), TLS_CERT: file(process), TLS_KEY: file(`${process}-key`) });
}

const makeKeys = () => webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;

// Valid from yesterday, because the clocks of machines differ.
const validFor = (days: number) => ({ notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + days * DAY_MS) });

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}
