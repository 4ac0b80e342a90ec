// Signs documents and events: JWS compact, RS512, in this process; or by the authority's own signer when it has a URL.
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { measureExternalCall } from '@clinic/lib/telemetry/external-calls.ts';
import { CompactSign } from 'jose';

/** What signs for a clinic: the key of its certificate, and the password that the official signer asks for. */
export type Signing = { privateKey: string; password: string };

export type Sign = (signing: Signing, nit: string, document: object) => Promise<string>;

// Reading a key costs more than signing; few clinics sign at a time.
const MOST_KEYS = 100;
const keys = new Map<string, KeyObject>();

function keyOf(privateKey: string): KeyObject {
  const known = keys.get(privateKey);
  if (known) return known;
  const key = createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' });
  if (keys.size >= MOST_KEYS) keys.clear();
  keys.set(privateKey, key);
  return key;
}

/** The protected header is exactly {"alg":"RS512"}. */
export const signHere: Sign = ({ privateKey }, _nit, document) =>
  new CompactSign(Buffer.from(JSON.stringify(document))).setProtectedHeader({ alg: 'RS512' }).sign(keyOf(privateKey));

/** The authority's signer, which holds the certificates itself. Throws when it is away or has none. */
export const signAt =
  (url: string, timeoutMs: number): Sign =>
  async ({ password }, nit, document) => {
    const request = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ nit, activo: true, passwordPri: password, dteJson: document }),
      signal: AbortSignal.timeout(timeoutMs),
    };
    const response = await measureExternalCall('tax-signer', 'sign', () => fetch(new URL('/firmardocumento/', url), request));
    const answer = (await response.json()) as { status?: string; body?: unknown };
    if (answer.status === 'OK' && typeof answer.body === 'string') return answer.body;
    throw new Error(`the signer answered ${(answer.body as { codigo?: string } | undefined)?.codigo ?? response.status}`);
  };
