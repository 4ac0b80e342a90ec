// The newest migration of each folder in the first release. No code runs on a schema between these and the ones before, so
// they may change what they like; whatever is newer has to let the release before go on (migration-safety.ts).
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
