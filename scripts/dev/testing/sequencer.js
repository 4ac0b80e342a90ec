// Starts first what takes longest, so that short tests are left for the end; and last what loads the machine and expects no request to fail.
import Sequencer from '@jest/test-sequencer';

/**
 * By their times in a whole run, half a minute and more; without them Jest would begin with the largest files. Of those that mostly wait for timers,
 * restarts and clocks that are moved, one runs at a time, and those that work run beside it.
 */
const FIRST = [
  'e2e/clock', // waits
  'scripts/dev/start',
  'scripts/ops/ops',
  'scripts/ops/data-subject',
  'e2e/isolation',
  'scripts/ops/rotate-keys',
  'lib/rpc/call-stream', // waits
  'e2e/chat-kills',
  'e2e/browser',
  'scripts/ops/backup',
  'e2e/bad-input',
  'lib/jobs/jobs.db', // waits
  'scripts/ops/point-in-time',
  'gateway/http/malformed-requests.db',
  'scripts/checks/kubernetes-steps',
  'lib/events/outbox.db', // waits
  'e2e/upgrade',
  'e2e/frozen',
  'e2e/access',
  'scripts/chaos/campaign',
  'services/billing/tax-documents/rpcs/checkout.db', // waits
  'e2e/payment-kills',
  'scripts/help',
  'services/messaging/outbound/outbound.db', // waits
];

const LAST = 'scripts/chaos/rolling-restart';

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const place = ({ path }) => {
      const isOf = (name) => path.endsWith(`/${name}.test.ts`);
      const index = FIRST.findIndex(isOf);
      return isOf(LAST) ? FIRST.length + 1 : index === -1 ? FIRST.length : index;
    };
    return [...super.sort(tests)].sort((a, b) => place(a) - place(b));
  }
}
