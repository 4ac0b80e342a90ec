// Starts first what takes longest, most of it waiting for timers, restarts and clocks that are moved, so that short tests are left for the end;
// and last what loads the machine and expects no request to fail.
import Sequencer from '@jest/test-sequencer';

/** By their times in a whole run, a minute and more. Without them Jest would begin with the largest files. */
const FIRST = [
  'scripts/dev/start',
  'e2e/clock',
  'lib/jobs/jobs.db',
  'scripts/ops/ops',
  'scripts/ops/backup',
  'scripts/ops/data-subject',
  'e2e/chat-kills',
  'lib/rpc/call-stream',
  'gateway/http/malformed-requests.db',
  'scripts/checks/kubernetes-steps',
  'scripts/ops/rotate-keys',
  'e2e/isolation',
  'lib/events/outbox.db',
  'services/messaging/outbound/outbound.db',
  'scripts/chaos/campaign',
  'scripts/ops/point-in-time',
  'e2e/payment-kills',
  'e2e/browser',
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
