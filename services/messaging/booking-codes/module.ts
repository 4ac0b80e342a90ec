// Codes of online bookings, by chat or by mail.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { BookingCodeService } from '@clinic/proto/messaging/v1/booking_code_pb.js';
import type { App } from '../app.ts';
import { sendBookingCode } from './send-booking-code.ts';

export const bookingCodes: Module<App> = { rpcs: [rpcs(BookingCodeService, { sendBookingCode })] };
