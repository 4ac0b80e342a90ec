// Starts the longest tests first, so that short ones are left for the end. Tests that mostly wait are spread over the others.
import Sequencer from '@jest/test-sequencer';
import { selectedProjects } from './selected-projects.ts';

/** By their times in a whole run, 10 seconds and more, in the order in which they start; without them Jest would begin with the largest files. */
const LONG = [
  'e2e/clock', // waits for clocks that are moved
  'e2e/kills', // waits for restarts
  'services/scheduling/patient-imports/patient-bulk.db', // these three run while the shared products start
  'gateway/http/malformed-requests.db',
  'lib/jobs/jobs.db', // waits for polls
  'scripts/dev/start',
  'scripts/ops/ops',
  'lib/events/outbox.db', // waits for redeliveries
  'e2e/isolation',
  'scripts/ops/data-subject',
  'e2e/browser',
  'lib/rpc/call-stream', // waits for deadlines
  'e2e/bad-input',
  'scripts/ops/rotate-keys',
  'scripts/ops/backup',
  'e2e/upgrade',
  'scripts/chaos/campaign',
  'lib/events/published-stream.db',
  'services/messaging/outbound/outbound.db', // waits for retries
  'e2e/http-contract',
  'e2e/access',
  'e2e/public-pages',
  'scripts/checks/kubernetes-steps',
  'services/billing/tax-documents/hand-over.db', // waits for timeouts
  'e2e/events',
  'scripts/ops/point-in-time',
  'scripts/checks/statements/statements.db',
  'services/messaging/outbound/uncertain-messages.db', // waits for leases that end
  'e2e/http',
  'scripts/ops/move-clinic/move-clinic.db',
  'e2e/changes-one-field',
  'e2e/slot-races',
  'scripts/chaos/rolling-restart', // waits for restarts
  'e2e/tracing',
  'sdk/package',
];

/** Seven seconds and more, most of which pass before timers and polls. */
const WAITING = [
  'gateway/limits/clinic-limits.db',
  'services/messaging/assistant/model-turn.db',
  'services/identity/recovery/recovery.db',
  'scripts/dev/embedded/watch-nats',
  'scripts/dev/embedded/silence',
  'lib/objects/objects',
  'services/messaging/outbound/sender-kill.db',
  'services/billing/tax-documents/rpcs/checkout.db',
  'services/messaging/inbox/inbound.db',
  'gateway/pipeline/upload',
  'e2e/store-unavailable',
  'services/messaging/assistant/briefing.db',
  'gateway/custom/signed-webhook',
  'lib/clock/clock-watch',
];

export default class LongestFirst extends Sequencer {
  sort(tests) {
    for (const { context } of tests) selectedProjects.add(context.config.displayName.name);
    const sorted = super.sort(tests);
    const [long, waiting] = [LONG, WAITING].map((names) => names.flatMap((name) => sorted.filter(({ path }) => isOf(path, name))));
    const others = sorted.filter((test) => !long.includes(test) && !waiting.includes(test));
    const isShort = ({ context }) => context.config.displayName.name === 'unit';
    const working = others.filter((test) => !isShort(test));
    return [...long, ...spread(waiting, working), ...others.filter(isShort)];
  }
}

const isOf = (path, name) => path.endsWith(`/${name}.test.ts`);

/** One of `some` before each equal part of `many`. */
function spread(some, many) {
  const part = Math.ceil(many.length / some.length);
  return some.length === 0 ? many : some.flatMap((one, index) => [one, ...many.slice(index * part, (index + 1) * part)]);
}
