// Each service has its own encryption keys, which decrypt no data of another service.
import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { encryptionKeyRing } from '../config/config.ts';
import { decrypt, encrypt } from './crypto.ts';
import { serviceKeySetting, serviceKeys, sharedKeys } from './service-keys.ts';

const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const ring = encryptionKeyRing.parse([key('k3.*'), key('k2.*'), key('k1')].join(','));
const idsOf = (service: string, keys = ring) => serviceKeys(keys, service).map(({ id }) => id);

test('from a key whose id ends with .* each service derives its own; a key without a service is shared; the order is preserved', () => {
  expect(idsOf('dental')).toEqual(['k3.dental', 'k2.dental', 'k1']);
  expect(idsOf('identity')).toEqual(['k3.identity', 'k2.identity', 'k1']);
});

test('a service decrypts no data of another service, except with a shared key', () => {
  const [dental, scheduling] = [serviceKeys(ring, 'dental'), serviceKeys(ring, 'scheduling')];
  const dui = encrypt(scheduling, '00016297-5', 'here');
  expect(decrypt(scheduling, dui, 'here')).toBe('00016297-5');
  expect(() => decrypt(dental, dui, 'here')).toThrow('k3.scheduling');
  const renamed = dental.map(({ id, key }) => ({ id: id.replace('dental', 'scheduling'), key }));
  expect(() => decrypt(renamed, dui, 'here')).toThrow();
  expect(decrypt(dental, encrypt(scheduling.slice(-1), '00016297-5', 'here'), 'here')).toBe('00016297-5');
});

test('the setting of one service contains the same keys and no others', () => {
  const own = encryptionKeyRing.parse(serviceKeySetting(ring, 'dental'));
  expect(serviceKeys(own, 'dental')).toEqual(serviceKeys(ring, 'dental'));
  expect(() => serviceKeys(own.slice(0, 2), 'scheduling')).toThrow('there is no key of scheduling, only k3.dental, k2.dental');
});

test('a process of one service is refused keys that decrypt data of others, and shared ones are named', () => {
  expect(() => sharedKeys(ring, 'dental')).toThrow('k3.*, k2.* decrypts data of other services');
  expect(() => sharedKeys(serviceKeys(ring, 'scheduling'), 'dental')).toThrow('k3.scheduling, k2.scheduling');
  expect(sharedKeys(serviceKeys(ring, 'dental'), 'dental')).toBe('k1');
});

test.each(['k1.', 'k1.*.*', 'k1.Dental', '.dental', 'k1 .*'])('%s is not a valid key id', (id) => {
  expect(encryptionKeyRing.safeParse(key(id)).success).toBe(false);
});
