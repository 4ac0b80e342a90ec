// Starts first what takes longest, most of it waiting for timers, restarts and clocks that are moved, so that short tests are left for the end.
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
  'scripts/chaos/rolling-restart',
  'scripts/chaos/campaign',
  'scripts/ops/point-in-time',
  'e2e/payment-kills',
  'e2e/browser',
];

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const place = ({ path }) => {
      const index = FIRST.findIndex((name) => path.endsWith(`/${name}.test.ts`));
      return index === -1 ? FIRST.length : index;
    };
    return [...super.sort(tests)].sort((a, b) => place(a) - place(b));
  }
}
