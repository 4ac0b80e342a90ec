// Starts first what takes longest, so that short tests are left for the end; and last what loads the machine and expects no request to fail, with tests
// beside it that wait.
import Sequencer from '@jest/test-sequencer';
import { selectedProjects } from './selected-projects.ts';

/**
 * By their times in a whole run, a quarter of a minute and more; without them Jest would begin with the largest files. Of those that mostly wait for timers,
 * restarts, polls and clocks that are moved, one runs at a time, and those that work run beside it.
 */
const FIRST = [
  'e2e/clock', // waits
  'scripts/dev/start',
  'scripts/ops/ops',
  'scripts/ops/data-subject',
  'e2e/isolation',
  'scripts/ops/rotate-keys',
  'e2e/kills', // waits
  'e2e/browser',
  'scripts/ops/backup',
  'e2e/bad-input',
  'scripts/ops/point-in-time',
  'gateway/http/malformed-requests.db',
  'scripts/checks/kubernetes-steps',
  'services/messaging/bot/bot-booking.db', // waits
  'e2e/upgrade',
  'e2e/access',
  'services/messaging/inbox/recorded-deliveries.db', // waits
  'scripts/chaos/campaign',
  'services/messaging/outbound/uncertain-messages.db', // waits
  'scripts/help',
  'e2e/tracing',
  'services/messaging/bot/bot-conversations.db', // waits
  'e2e/slot-races',
  'e2e/public-pages',
  'services/messaging/outbound/late-messages.db', // waits
  'e2e/store-unavailable',
  'e2e/changes-one-field',
  'services/messaging/inbox/inbound.db', // waits
  'e2e/http',
];

const LAST = [
  'services/billing/tax-documents/rpcs/checkout.db',
  'services/messaging/outbound/outbound.db',
  'lib/events/outbox.db',
  'scripts/chaos/rolling-restart',
  'lib/rpc/call-stream',
  'lib/jobs/jobs.db',
];

export default class LongestFirst extends Sequencer {
  sort(tests) {
    for (const { context } of tests) selectedProjects.add(context.config.displayName.name);
    const place = ({ path }) => {
      const isOf = (name) => path.endsWith(`/${name}.test.ts`);
      const [first, last] = [FIRST.findIndex(isOf), LAST.findIndex(isOf)];
      return last !== -1 ? FIRST.length + 1 + last : first !== -1 ? first : FIRST.length;
    };
    return [...super.sort(tests)].sort((a, b) => place(a) - place(b));
  }
}
