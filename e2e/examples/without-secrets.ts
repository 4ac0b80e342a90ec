// Replaces values that differ from run to run or are secret: ids, tokens, secrets and the address of the product.
import type { Body } from '../api.ts';

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
const SECRETS: [RegExp, string][] = [
  [/eyJ[\w-]+(?:\.[\w-]*){0,2}/g, 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIwMTk4YTNmMiJ9.c2lnbmF0dXJl'],
  [/\b[0-9a-f]{64}\b/gi, '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  [/\bck_[\w-]{8,}/g, 'ck_q1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6'],
  [/\bwhsec_[\w+/=-]{8,}/g, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  [/(?<![\w-])[\w-]{43}(?![\w-])/g, 'q1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6j7k8l9z0x1c'],
  [/\b[A-Z2-7]{32}\b/g, 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'],
  [/(?<=\/(?:check-in|forms|shared|feed|open|manage)\/)[\w-]{20,}/g, 'q1w2e3r4t5y6u7i8o9p0a1s2'],
];
/** Fields whose values are secrets. */
const HIDDEN: Record<string, Body> = {
  recovery_codes: ['k7m2-p9qx', 't4vd-8hwz'],
  password: 'correct horse battery',
  mfaToken: 'q1w2e3r4t5y6u7i8o9p0a1s2',
  currentPassword: 'correct horse battery',
  certificate: '<CertificadoMH>…</CertificadoMH>',
};

export function withoutSecrets<V>(value: V, baseUrl: string): V {
  const ids = new Map<string, string>();
  const stable = (id: string) => {
    const known = ids.get(id.toLowerCase()) ?? `0198a3f2-7c1e-7d4b-9a53-${(ids.size + 1).toString(16).padStart(12, '0')}`;
    ids.set(id.toLowerCase(), known);
    return id === id.toUpperCase() ? known.toUpperCase() : known;
  };
  const replace = (inner: Body, name = ''): Body => {
    if (name in HIDDEN && inner) return HIDDEN[name];
    if (Array.isArray(inner)) return inner.map((one) => replace(one));
    if (typeof inner === 'object' && inner !== null) return Object.fromEntries(Object.entries(inner).map(([key, one]) => [key, replace(one, key)]));
    if (typeof inner !== 'string') return inner;
    const shown = SECRETS.reduce((text, [pattern, instead]) => text.replaceAll(pattern, instead), inner);
    return shown.replaceAll(UUID, stable).replaceAll(new URL(baseUrl).host, 'localhost:8080');
  };
  return replace(value);
}
