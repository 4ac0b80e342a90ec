// Ends every session of a clinic.
import { create } from '@bufbuild/protobuf';
import { systemClock } from '@clinic/lib/clock/clock.ts';
import { EndClinicSessionsRequestSchema } from '@clinic/proto/identity/v1/clinic_sessions_pb.js';
import { endClinicSessions } from '../../services/identity/sessions/end-clinic-sessions.ts';
import { type Command, callOf } from './command.ts';
import { uuidOption } from './subjects.ts';

export const endSessions: Command = {
  usage: `--clinic <uuid> [--dry-run]

Access tokens are refused from the next request on. Running it again does no harm.

  --clinic <uuid>    the clinic
  --dry-run          only says how many there are`,
  options: { clinic: { type: 'string' }, 'dry-run': { type: 'boolean' } },
  async run(ops, given) {
    const dryRun = given.values['dry-run'] === true;
    const request = create(EndClinicSessionsRequestSchema, { clinicId: uuidOption(given, 'clinic'), dryRun });
    // Its line in the audit log is written with the sessions, in the clinic's own log, where operators' lines are found too.
    const { ended } = await endClinicSessions({ db: ops.open('identity'), clock: systemClock }, request, callOf(ops));
    ops.say(dryRun ? `${ended} sessions would end` : `${ended} sessions have ended`);
    return 0;
  },
};
