// The encryption keys of one service. ENCRYPTION_KEYS contains up to three kinds of keys, which differ in their ids:
//   k1.*       never encrypts anything: the key of each service is derived from it
//   k1.dental  the key of one service
//   k1         a key that all services share, from earlier releases
import { formatKeyRing, type NamedKey, SettingsError } from '../config/config.ts';
import { deriveKey } from './derive-key.ts';

/** The keys with which this service encrypts (the first one) and decrypts. Throws a SettingsError when there is none. */
export function serviceKeys(ring: NamedKey[], service: string): NamedKey[] {
  const keys = ring.flatMap(({ id, key }) => {
    const [name, whose] = id.split('.');
    if (whose === '*') return [{ id: `${name}.${service}`, key: deriveKey(key, `clinic service key:${service}`) }];
    return whose === undefined || whose === service ? [{ id, key }] : [];
  });
  if (keys.length === 0) throw new SettingsError(`ENCRYPTION_KEYS: there is no key of ${service}, only ${ids(ring)}.`);
  return keys;
}

/** The setting ENCRYPTION_KEYS of a process that runs this service alone. */
export const serviceKeySetting = (ring: NamedKey[], service: string) => formatKeyRing(serviceKeys(ring, service));

/**
 * The ids of the shared keys in the ring of a process that runs this service alone. It needs them until `rotate-keys` has ended. Throws a
 * SettingsError if the ring contains other keys that decrypt values of other services.
 */
export function sharedKeys(ring: NamedKey[], service: string): string {
  const foreign = ring.filter(({ id }) => id.includes('.') && !id.endsWith(`.${service}`));
  if (foreign.length > 0)
    throw new SettingsError(
      `ENCRYPTION_KEYS: ${ids(foreign)} decrypts data of other services. Give ${service} only its own keys, which npm run secrets derives.`,
    );
  return ids(ring.filter(({ id }) => !id.includes('.')));
}

const ids = (ring: NamedKey[]) => ring.map(({ id }) => id).join(', ');
