// Starts first what takes longest, and last what is short, so that the workers end together.
import Sequencer from '@jest/test-sequencer';

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
  'lib/events/outbox.db', // waits
  'scripts/ops/point-in-time',
  'gateway/http/malformed-requests.db',
  'scripts/checks/kubernetes-steps',
  'services/messaging/bot/bot-booking.db', // waits
  'e2e/upgrade',
  'lib/jobs/jobs.db', // waits
  'e2e/access',
  'services/messaging/inbox/recorded-deliveries.db', // waits
  'scripts/chaos/campaign',
  'services/messaging/outbound/outbound.db', // waits
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

/** They load the machine, expect no request to fail, and take a minute and a half, of which they wait for the most part. */
const LATE = ['services/billing/tax-documents/rpcs/checkout.db', 'scripts/chaos/rolling-restart', 'lib/rpc/call-stream'];
/** So many of the shortest tests run beside them. */
const SHORT = 120;

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const pick = (names) => names.flatMap((name) => sorted.filter(({ path }) => path.endsWith(`/${name}.test.ts`)));
    const [first, late] = [pick(FIRST), pick(LATE)];
    const others = sorted.filter((one) => !first.includes(one) && !late.includes(one));
    const short = others.splice(-SHORT);
    return [...first, ...others, ...late, ...short];
  }
}
