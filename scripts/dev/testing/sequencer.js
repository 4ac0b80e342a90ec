// Starts first what takes longest, so that short tests are left for the end; and last what loads the machine and expects no request to fail, with tests
// beside it that wait.
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
  'e2e/payment-kills',
  'scripts/help',
];

const LAST = ['services/billing/tax-documents/rpcs/checkout.db', 'services/messaging/outbound/outbound.db', 'scripts/chaos/rolling-restart'];

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const place = ({ path }) => {
      const isOf = (name) => path.endsWith(`/${name}.test.ts`);
      const [first, last] = [FIRST.findIndex(isOf), LAST.findIndex(isOf)];
      return last !== -1 ? FIRST.length + 1 + last : first !== -1 ? first : FIRST.length;
    };
    return [...super.sort(tests)].sort((a, b) => place(a) - place(b));
  }
}
