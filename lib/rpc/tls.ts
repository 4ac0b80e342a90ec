// The certificate of this process and the authority that all processes trust, for calls between processes. The files are read every minute, so
// that a certificate is renewed without a restart; while they cannot be used, the certificate that was read before stays in use.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { experimental } from '@grpc/grpc-js';
import { z } from 'zod';
import { SettingsError } from '../config/config.ts';
import type { Log } from '../telemetry/log.ts';
import { certificateExpires } from '../telemetry/metrics.ts';

/** Paths of PEM files. */
export const tlsSettings = { TLS_CA: z.string().optional(), TLS_CERT: z.string().optional(), TLS_KEY: z.string().optional() };
export type TlsSettings = z.infer<z.ZodObject<typeof tlsSettings>>;

type Files = { ca: string; cert: string; key: string };
type Pem = { ca: Buffer; cert: Buffer; key: Buffer };
type CaListener = experimental.CaCertificateUpdateListener;
type IdentityListener = experimental.IdentityCertificateUpdateListener;

export type Certificates = experimental.CertificateProvider & { stop(): void };

const REFRESH_MS = 60_000;

/** The certificates that the settings name, for the process `name`; undefined when none is set. Throws a SettingsError. */
export function openCertificates(name: string, settings: TlsSettings, log: Log, refreshMs = REFRESH_MS): Certificates | undefined {
  const { TLS_CA: ca, TLS_CERT: cert, TLS_KEY: key } = settings;
  if (!ca && !cert && !key) return undefined;
  if (!ca || !cert || !key) throw new SettingsError('TLS_CA, TLS_CERT and TLS_KEY must be set together or not at all.');
  const files = { ca, cert, key };
  let current = read(name, files);
  const caListeners = new Set<CaListener>();
  const identityListeners = new Set<IdentityListener>();
  const notify = {
    ca: (listener: CaListener) => listener({ caCertificate: current.ca }),
    identity: (listener: IdentityListener) => listener({ certificate: current.cert, privateKey: current.key }),
  };
  const timer = setInterval(() => {
    try {
      const found = read(name, files);
      if ((['ca', 'cert', 'key'] as const).every((part) => found[part].equals(current[part]))) return;
      current = found;
      caListeners.forEach(notify.ca);
      identityListeners.forEach(notify.identity);
      log.info('the certificate of this process was replaced');
    } catch (error) {
      log.error({ reason: (error as Error).message }, 'TLS_CA, TLS_CERT and TLS_KEY cannot be used; the certificate read before stays in use');
    }
  }, refreshMs).unref();
  return {
    addCaCertificateListener(listener) {
      caListeners.add(listener);
      process.nextTick(notify.ca, listener);
    },
    removeCaCertificateListener: (listener) => void caListeners.delete(listener),
    addIdentityCertificateListener(listener) {
      identityListeners.add(listener);
      process.nextTick(notify.identity, listener);
    },
    removeIdentityCertificateListener: (listener) => void identityListeners.delete(listener),
    stop: () => clearInterval(timer),
  };
}

/** Reads the files. Throws a SettingsError unless the key belongs to the certificate and the certificate names the process. */
function read(name: string, files: Files): Pem {
  try {
    const pem = { ca: readFileSync(files.ca), cert: readFileSync(files.cert), key: readFileSync(files.key) };
    const [certificate, authority] = [new X509Certificate(pem.cert), new X509Certificate(pem.ca)];
    if (!certificate.checkPrivateKey(createPrivateKey(pem.key))) throw new Error('the key does not belong to the certificate');
    if (!namesOf(certificate.subjectAltName).includes(name)) throw new Error(`the certificate does not name ${name}`);
    certificateExpires.set({ certificate: 'process' }, certificate.validToDate.getTime() / 1000);
    certificateExpires.set({ certificate: 'authority' }, authority.validToDate.getTime() / 1000);
    return pem;
  } catch (error) {
    throw new SettingsError(`TLS_CA, TLS_CERT and TLS_KEY: ${(error as Error).message}`);
  }
}

/** The DNS names of a certificate's subjectAltName. */
export const namesOf = (subjectAltName = ''): string[] => subjectAltName.split(', ').flatMap((entry) => (entry.startsWith('DNS:') ? [entry.slice(4)] : []));
