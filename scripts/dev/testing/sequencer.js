// Starts the longest tests first, so that short ones are left for the end. Tests that mostly wait are spread over the others. The tests in LAST
// follow, the first of which expects no request to fail, and then the short ones.
import Sequencer from '@jest/test-sequencer';
import { selectedProjects } from './selected-projects.ts';

/** By their times in a whole run, 10 seconds and more, in the order in which they start; without them Jest would begin with the largest files. */
const LONG = [
  'e2e/clock', // waits for clocks that are moved
  'e2e/kills', // waits for restarts
  'services/scheduling/patient-imports/patient-bulk.db', // these two run while the shared products start
  'gateway/http/malformed-requests.db',
  'scripts/dev/start',
  'scripts/ops/ops',
  'e2e/isolation',
  'scripts/ops/data-subject',
  'e2e/browser',
  'e2e/bad-input',
  'scripts/ops/rotate-keys',
  'scripts/ops/backup',
  'lib/rpc/call-stream', // waits for deadlines
  'e2e/patients-bulk',
  'e2e/upgrade',
  'scripts/chaos/campaign',
  'lib/events/published-stream.db',
  'e2e/http-contract',
  'e2e/access',
  'e2e/public-pages',
  'scripts/checks/kubernetes-steps',
  'e2e/events',
  'scripts/ops/point-in-time',
  'scripts/checks/statements/statements.db',
  'e2e/http',
  'scripts/ops/move-clinic/move-clinic.db',
  'e2e/changes-one-field',
  'e2e/slot-races',
  'e2e/tracing',
  'sdk/package',
];

/** A quarter of a minute and more, most of which passes before timers and polls. */
const WAITING = [
  'services/messaging/outbound/outbound.db',
  'services/billing/tax-documents/hand-over.db',
  'services/messaging/outbound/uncertain-messages.db',
  'services/messaging/inbox/recorded-deliveries.db',
  'services/messaging/inbox/inbound.db',
  'services/messaging/bot/bot-appointments.db',
  'services/messaging/bot/bot-booking.db',
  'gateway/limits/clinic-limits.db',
  'services/messaging/assistant/model-turn.db',
  'services/messaging/outbound/late-messages.db',
  'services/messaging/bot/bot-booking-times.db',
  'services/identity/recovery/recovery.db',
  'scripts/dev/embedded/watch-nats',
  'services/messaging/bot/bot-booking-people.db',
  'services/messaging/bot/bot-conversations.db',
  'services/messaging/bot/bot-waitlist.db',
  'gateway/pipeline/upload',
];

/** Three that wait, and tests that work beside them in the fourth process; the short ones follow. */
const LAST = ['scripts/chaos/rolling-restart', 'lib/jobs/jobs.db', 'lib/events/outbox.db', 'services/scheduling/'];

export default class LongestFirst extends Sequencer {
  sort(tests) {
    for (const { context } of tests) selectedProjects.add(context.config.displayName.name);
    const sorted = super.sort(tests);
    const [long, waiting, last] = [LONG, WAITING, LAST].map((names) => names.flatMap((name) => sorted.filter(({ path }) => isOf(path, name))));
    const others = sorted.filter((test) => ![long, waiting, last].some((listed) => listed.includes(test)));
    const isShort = ({ context }) => context.config.displayName.name === 'unit';
    const working = others.filter((test) => !isShort(test));
    return [...new Set([...long, ...spread(waiting, working), ...last, ...others])];
  }
}

const isOf = (path, name) => path.endsWith(`/${name}.test.ts`) || (name.endsWith('/') && path.includes(`/${name}`));

/** One of `some` before each equal part of `many`. */
function spread(some, many) {
  const part = Math.ceil(many.length / some.length);
  return some.length === 0 ? many : some.flatMap((one, index) => [one, ...many.slice(index * part, (index + 1) * part)]);
}
