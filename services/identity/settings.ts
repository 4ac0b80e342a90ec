// Settings of identity, besides those that all services share.
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { httpUrl, publicUrlSettings } from '@clinic/lib/config/public-url.ts';
import { z } from 'zod';

export type SigningKey = { kid: string; privateKey: KeyObject };

const MESSAGE = 'must be kid:base64(PKCS8 DER of a P-256 key) pairs, separated by commas, each kid once';

/** The first key signs, all of them are published for verification. To rotate, put the new key first and remove the old one after 8 hours. */
const signingKeys = z.string().transform((text, context): SigningKey[] => {
  try {
    const keys = text.split(',').map(parseKey);
    if (new Set(keys.map(({ kid }) => kid)).size === keys.length) return keys;
  } catch {
    // The original error may contain the key, so the message only describes the format.
  }
  context.addIssue({ code: 'custom', message: MESSAGE });
  return z.NEVER;
});

function parseKey(entry: string): SigningKey {
  const [kid = '', encoded = ''] = entry.trim().split(':');
  const privateKey = createPrivateKey({ key: Buffer.from(encoded, 'base64'), format: 'der', type: 'pkcs8' });
  if (!/^[\w.-]{1,64}$/.test(kid) || privateKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Error(MESSAGE);
  return { kid, privateKey };
}

/** The services that identity calls by RPC. */
export const dependencies = ['billing', 'dental', 'messaging', 'platform', 'scheduling'];

export const settings = {
  JWT_PRIVATE_KEYS: signingKeys,
  /** A k-anonymity API such as https://api.pwnedpasswords.com, which new passwords are checked with; none by default. */
  BREACHED_PASSWORDS_URL: httpUrl.optional(),
  ...publicUrlSettings,
};

export type Settings = z.infer<z.ZodObject<typeof settings>>;
