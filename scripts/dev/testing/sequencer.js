// Starts first what takes longest, so that short tests are left for the end; and last what expects no request to fail, with tests beside it that mostly
// wait.
import Sequencer from '@jest/test-sequencer';
import { selectedProjects } from './selected-projects.ts';

/**
 * By their times in a whole run, a quarter of a minute and more, in the order in which they start; without them Jest would begin with the largest files.
 * One or two of four at a time mostly wait for timers, restarts, polls and clocks that are moved, and those that work run beside them.
 */
const FIRST = [
  'e2e/clock', // waits
  'e2e/kills', // waits
  'scripts/dev/start',
  'scripts/ops/ops',
  'e2e/isolation',
  'scripts/ops/data-subject',
  'e2e/browser',
  'e2e/bad-input',
  'scripts/ops/rotate-keys',
  'scripts/ops/backup',
  'services/messaging/outbound/outbound.db', // waits
  'lib/rpc/call-stream', // waits
  'e2e/patients-bulk',
  'e2e/upgrade',
  'scripts/chaos/campaign',
  'services/messaging/inbox/inbound.db', // waits
  'lib/events/published-stream.db', // waits
  'e2e/http-contract',
  'e2e/access',
  'e2e/public-pages',
  'services/messaging/bot/bot-appointments.db', // waits
  'scripts/checks/kubernetes-steps',
  'e2e/events',
  'services/messaging/outbound/uncertain-messages.db', // waits
  'scripts/ops/point-in-time',
  'services/messaging/assistant/model-turn.db', // waits
  'scripts/checks/statements/statements.db',
  'e2e/http',
  'gateway/http/malformed-requests.db',
  'scripts/dev/embedded/watch-nats', // waits
  'scripts/ops/move-clinic/move-clinic.db',
  'services/billing/tax-documents/hand-over.db', // waits
  'e2e/changes-one-field',
  'services/scheduling/patient-imports/patient-bulk.db',
  'services/messaging/bot/bot-booking-people.db', // waits
  'e2e/slot-races',
  'services/identity/recovery/recovery.db',
  'e2e/tracing',
  'gateway/limits/clinic-limits.db', // waits
  'services/messaging/bot/bot-conversations.db', // waits
  'services/messaging/inbox/recorded-deliveries.db', // waits
  'services/messaging/bot/bot-waitlist.db', // waits
  'services/messaging/bot/bot-booking.db', // waits
  'services/messaging/bot/bot-booking-times.db', // waits
  'services/messaging/outbound/late-messages.db', // waits
];

/** Three that wait, and tests that work beside them in the other process. */
const LAST = ['scripts/chaos/rolling-restart', 'lib/jobs/jobs.db', 'lib/events/outbox.db', 'services/scheduling/'];

export default class LongestFirst extends Sequencer {
  sort(tests) {
    for (const { context } of tests) selectedProjects.add(context.config.displayName.name);
    const place = ({ path }) => {
      const isOf = (name) => path.endsWith(`/${name}.test.ts`) || (name.endsWith('/') && path.includes(`/${name}`));
      const [first, last] = [FIRST.findIndex(isOf), LAST.findIndex(isOf)];
      return first !== -1 ? first : last !== -1 ? FIRST.length + 1 + last : FIRST.length;
    };
    return [...super.sort(tests)].sort((a, b) => place(a) - place(b));
  }
}
