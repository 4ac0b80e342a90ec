// Check-in of patients by QR code.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { CheckInService } from '@clinic/proto/scheduling/v1/check_in_pb.js';
import type { App } from '../app.ts';
import { checkIn as checkInPatient, getCheckIn } from './check-in.ts';
import { getCheckInCode } from './get-check-in-code.ts';

export const checkIn: Module<App> = {
  rpcs: [rpcs(CheckInService, { getCheckInCode, getCheckIn, checkIn: checkInPatient })],
};
