// The newest migration of each folder in the first release. No released code runs on the schema of an earlier migration, so these may change
// anything. Newer migrations must let the previous release continue to work (migration-safety.ts).
import type { Baseline } from './migration-safety.ts';

export const FIRST_RELEASE: Baseline = {
  gateway: 1,
  'lib/db': 3,
  'services/billing': 4,
  'services/dental': 9,
  'services/identity': 3,
  'services/messaging': 3,
  'services/platform': 2,
  'services/scheduling': 13,
};
