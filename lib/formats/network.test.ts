import { expect, test } from '@jest/globals';
import { networkOf } from './network.ts';

test.each([
  ['10.0.0.1', '10.0.0.1'],
  ['2001:db8:1:2ab:3:4:5:6', '2001:db8:1:200::'],
  ['2001:DB8:1:2ff::1', '2001:db8:1:200::'],
  ['2001:0db8:1:300::1', '2001:db8:1:300::'],
  ['2001:0db8:1::1', '2001:db8:1::'],
  ['fe80::1%eth0', 'fe80::'],
  ['::1', '::'],
  ['', ''],
  ['unknown', 'unknown'],
])('the network of %s is %s', (ip, network) => expect(networkOf(ip)).toBe(network));
