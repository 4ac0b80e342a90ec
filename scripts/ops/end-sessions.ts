// `ops end-sessions`: ends every session of a clinic.
import { create } from '@bufbuild/protobuf';
import { systemClock } from '@clinic/lib/clock/clock.ts';
import { counted } from '@clinic/lib/formats/counted.ts';
import { EndClinicSessionsRequestSchema } from '@clinic/proto/identity/v1/clinic_sessions_pb.js';
import { endClinicSessions } from '../../services/identity/sessions/end-clinic-sessions.ts';
import { type Command, callOf } from './command.ts';
import { uuidOption } from './subjects.ts';

export const endSessions: Command = {
  usage: `--clinic <uuid> [--dry-run]

Access tokens are refused from the next request on. The command can be run again.

  --clinic <uuid>    the clinic
  --dry-run          only prints the number of sessions`,
  options: { clinic: { type: 'string' }, 'dry-run': { type: 'boolean' } },
  async run(ops, args) {
    const dryRun = args.values['dry-run'] === true;
    const request = create(EndClinicSessionsRequestSchema, { clinicId: uuidOption(args, 'clinic'), dryRun });
    // The handler writes the row of the audit log, into the clinic's log in identity.
    const { ended } = await endClinicSessions({ db: ops.open('identity'), clock: systemClock }, request, callOf(ops));
    ops.print(dryRun ? `${counted(ended, 'session')} would end` : `${counted(ended, 'session')} ended`);
    return 0;
  },
};
