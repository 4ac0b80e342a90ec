import { hkdfSync } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { deriveKey } from './derive-key.ts';

test('keys are those of HKDF-SHA256', () => {
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.string()), fc.string(), (secret, purpose) => {
      expect(deriveKey(secret, purpose)).toEqual(Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)));
    }),
  );
});
