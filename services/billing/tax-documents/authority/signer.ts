// Signs documents and events as compact JWS with RS512: in this process, or by the authority's own signer when its URL is set.
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { Remembered } from '@clinic/lib/background/remembered.ts';
import { limitBody } from '@clinic/lib/http/limit-body.ts';
import { measureExternalCall } from '@clinic/lib/telemetry/external-calls.ts';
import { CompactSign } from 'jose/jws/compact/sign';

/** The private key of a clinic's certificate (PKCS #8, base64), and the password that the authority's signer requires. */
export type SigningKey = { privateKey: string; password: string };

/** Takes `limitMs` at most. */
export type Sign = (signing: SigningKey, nit: string, document: object, limitMs: number) => Promise<string>;

/** A signed document contains the document, which has at most 200 items. */
const MAX_RESPONSE_BYTES = 4 * 1_048_576;

// Parsing a key takes longer than signing; few clinics sign at the same time.
const MAX_KEYS = 100;
const keys = new Remembered<KeyObject>(MAX_KEYS);

function parsedKey(privateKey: string): KeyObject {
  const cached = keys.get(privateKey);
  if (cached) return cached;
  const key = createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' });
  keys.set(privateKey, key);
  return key;
}

/** The protected header is exactly {"alg":"RS512"}. */
export const signLocally: Sign = ({ privateKey }, _nit, document) =>
  new CompactSign(Buffer.from(JSON.stringify(document))).setProtectedHeader({ alg: 'RS512' }).sign(parsedKey(privateKey));

/** The authority's signer has the certificates itself. Throws when it is unavailable or lacks the certificate. */
export const signRemotely =
  (url: string, timeoutMs: number): Sign =>
  async ({ password }, nit, document, limitMs) => {
    const request = {
      method: 'POST',
      redirect: 'error' as const, // the body contains the password of the private key
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ nit, activo: true, passwordPri: password, dteJson: document }),
      signal: AbortSignal.timeout(Math.max(1, Math.floor(Math.min(timeoutMs, limitMs)))),
    };
    const response = await measureExternalCall('tax-signer', 'sign', () => fetch(new URL('/firmardocumento/', url), request));
    const answer = (await limitBody(response, MAX_RESPONSE_BYTES).json()) as { status?: string; body?: unknown };
    if (answer.status === 'OK' && typeof answer.body === 'string') return answer.body;
    throw new Error(`the signer of the tax authority answered ${(answer.body as { codigo?: string } | undefined)?.codigo ?? response.status}`);
  };
