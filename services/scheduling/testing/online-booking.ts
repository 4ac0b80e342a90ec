// Scheduling with stand-ins for identity, which knows the clinics that accept online bookings, and messaging, which sends codes.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { asSystem } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { asAnonymous } from '@clinic/lib/testing/callers.ts';
import { AccessService, type ResolvedClinicSchema } from '@clinic/proto/identity/v1/access_pb.js';
import { BookingCodeService } from '@clinic/proto/messaging/v1/booking_code_pb.js';
import { AppointmentTypeService } from '@clinic/proto/scheduling/v1/appointment_type_pb.js';
import { PublicBookingService } from '@clinic/proto/scheduling/v1/public_booking_pb.js';
import { storeZone } from '../zone-changes/change-zone.ts';
import { startScheduling, TUESDAY } from './clinic.ts';
import { fakeOf } from './fake-of.ts';

const ZONE = 'America/El_Salvador';
export const patient = asAnonymous();

export type OnlineBooking = Awaited<ReturnType<typeof startOnlineBooking>>;

export async function startOnlineBooking() {
  /** The codes that were sent, by booking. */
  const codes = new Map<string, string>();
  /** By slug and by id. */
  const clinics = new Map<string, MessageInitShape<typeof ResolvedClinicSchema>>();
  /** The channel that messaging returns. While it is undefined, messaging fails. */
  const messaging: { channel: string | undefined } = { channel: 'chat' };
  const s = await startScheduling({
    identity: localTransport([fakeOf(AccessService, { resolveClinic: async (_, { slug, clinicId }) => clinics.get(slug || clinicId) ?? fail('NOT_FOUND') })]),
    messaging: localTransport([
      fakeOf(BookingCodeService, {
        sendBookingCode: async (_, { bookingId, code }) => {
          const { channel = fail('UNAVAILABLE') } = messaging;
          if (channel) codes.set(bookingId, code);
          return { channel };
        },
      }),
    ]),
  });
  const page = () => s.service.client(PublicBookingService);

  /** A clinic that accepts online bookings, with one type. */
  async function openClinic({ noShowLimit = 0, noticeHours = 0, durationMinutes = 30, features = ['online_booking'] } = {}) {
    const { id, doctor } = await s.clinic();
    const slug = `clinic-${id.slice(0, 8)}`;
    const clinic = {
      clinicId: id,
      slug,
      name: 'Sonrisa',
      isActive: true,
      plan: 'clinica',
      timezone: ZONE,
      country: 'SV',
      features,
      address: 'Calle Arce 12',
    };
    for (const name of [slug, id]) clinics.set(name, clinic);
    await asSystem(s.service.db, (tx) =>
      storeZone(tx, id, ZONE, 2, s.clock.now(), { bookingNoShowLimit: noShowLimit, cancellationNoticeHours: noticeHours, cancellationText: 'Avise antes' }),
    );
    const fields = { name: 'Limpieza', durationMinutes, color: '#112233', onlineBookable: true };
    const type = await s.service.client(AppointmentTypeService).createAppointmentType(fields, s.asAdmin(id));
    const wanted = (startTime: string, phone = s.phone()) => ({ slug, typeId: type.id, date: TUESDAY, startTime, name: 'Rosa Díaz', phone });
    const codeOf = (bookingId: string) => codes.get(bookingId) ?? '';
    const confirm = (bookingId: string, code = codeOf(bookingId)) => page().confirmBooking({ slug, id: bookingId, code }, patient);
    const listed = (status?: string) => s.appointments.listAppointments({ page: 1, limit: 50, ...(status && { status }) }, s.asUser(id));
    return { id, slug, doctor, type, wanted, confirm, codeOf, listed };
  }

  return { scheduling: s, clinics, messaging, page, openClinic };
}
