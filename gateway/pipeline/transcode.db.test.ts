import { create, type DescMessage, type Message } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { SessionSchema } from '@clinic/proto/identity/v1/session_pb.js';
import { StatsSchema } from '@clinic/proto/platform/v1/stats_pb.js';
import { AppointmentSchema, BookAppointmentRequestSchema, CountChatBookingsRequestSchema } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import { CreateDoctorRequestSchema, DoctorSchema, UpdateDoctorRequestSchema } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import { CreatePatientRequestSchema } from '@clinic/proto/scheduling/v1/patient_pb.js';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compileInit, compileJson, publicName } from './transcode.ts';

/** The message that JSON input makes. */
function messageOf(schema: DescMessage, json: Record<string, unknown>): Message {
  const init = {};
  compileInit(schema, Object.keys(json))(json, init);
  return create(schema, init);
}

describe('messages as JSON', () => {
  test('absent is null, an instant is UTC, and an embedded message is an object', () => {
    const json = compileJson(AppointmentSchema)(
      create(AppointmentSchema, {
        id: 'a',
        createdAt: timestampFromDate(new Date('2026-08-03T08:00:00.120-06:00')),
        patients: { id: 'p', fullName: 'María' },
      }),
    );
    expect(json).toMatchObject({ id: 'a', notes: null, created_at: '2026-08-03T14:00:00.120Z', cancelled_at: null, doctors: null });
    expect(json.patients).toEqual({ id: 'p', full_name: 'María', phone: null });
    expect(Object.keys(json)).toEqual(AppointmentSchema.fields.map(({ name }) => name));
  });

  test('money has its decimals, names are camelCase where the contract says so, maps are objects', () => {
    const json = compileJson(StatsSchema)(create(StatsSchema, { revenueThisMonth: 1234567n, planDistribution: { trial: 2, forever_free: 0 } }));
    expect(json).toMatchObject({ revenueThisMonth: 12345.67, planDistribution: { trial: 2, forever_free: 0 }, totalClinics: 0 });
  });

  test('internal fields are left out', () => {
    const json = compileJson(SessionSchema)(create(SessionSchema, { refreshToken: 'secret' }));
    expect(Object.keys(json)).toEqual(['access_token', 'token_type', 'expires_in', 'user', 'clinic']);
  });

  test('lists are arrays', () => {
    expect(compileJson(DoctorSchema)(create(DoctorSchema, { doctorBreaks: [{ dayOfWeek: 1 }] }))).toMatchObject({
      doctor_working_hours: [],
      doctor_breaks: [{ id: '', day_of_week: 1, start_time: '', end_time: '' }],
      specialty: null,
    });
  });
});

describe('JSON as messages', () => {
  test('both spellings of a field are accepted, and an unknown name fails at start', () => {
    expect(messageOf(BookAppointmentRequestSchema, { doctorId: 'd', patient_name: 'A' })).toMatchObject({ doctorId: 'd', patientName: 'A' });
    expect(() => compileInit(BookAppointmentRequestSchema, ['doctor'])).toThrow('clinic.scheduling.v1.BookAppointmentRequest has no field for doctor');
  });

  test('null and undefined leave a field out', () => {
    expect(Object.keys(messageOf(CreatePatientRequestSchema, { full_name: 'A', dui: null, email: undefined }))).toEqual(['$typeName', 'fullName', 'phone']);
  });

  test('cents are exact', () => {
    for (const amount of [0.1, 0.29, 1.005, 19.99, 1_000_000.07, 4503599627370.49])
      expect(messageOf(StatsSchema, { revenueThisMonth: amount })).toMatchObject({ revenueThisMonth: BigInt(Math.round(amount * 100)) });
    expect(messageOf(StatsSchema, { revenueThisMonth: 0.29 })).toMatchObject({ revenueThisMonth: 29n });
  });

  test('a wrapped list is an array', () => {
    const hours = [{ dayOfWeek: 0, startTime: '08:00', endTime: '09:00' }];
    expect(messageOf(UpdateDoctorRequestSchema, { workingHours: hours })).toMatchObject({ workingHours: { ranges: hours } });
    expect(messageOf(UpdateDoctorRequestSchema, { fullName: 'A' })).not.toHaveProperty('workingHours');
  });
});

describe('JSON to message and back', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1 });
  const whole = fc.integer({ min: 0, max: 2 ** 31 - 1 });
  const range = fc.record({ day_of_week: fc.integer({ min: 0, max: 6 }), start_time: text, end_time: text });
  const instant = fc
    .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
    .map((date) => date.toISOString());
  const inputs: [DescMessage, fc.Arbitrary<Record<string, unknown>>][] = [
    [
      CreateDoctorRequestSchema,
      fc.record({
        full_name: text,
        specialty: fc.option(text),
        buffer_time_minutes: fc.option(whole),
        working_hours: fc.array(range),
        breaks: fc.array(range),
      }),
    ],
    [BookAppointmentRequestSchema, fc.record({ doctor_id: text, notes: fc.option(text), outside_hours: fc.boolean() })],
    [CountChatBookingsRequestSchema, fc.record({ since: fc.option(instant) })],
    [
      StatsSchema,
      fc.record({
        total_clinics: whole,
        revenue_this_month: fc.integer({ min: -1_000_000_000_000, max: 1_000_000_000_000 }).map((cents) => cents / 100),
        plan_distribution: fc.dictionary(
          text.filter((key) => key !== '__proto__'),
          whole,
        ),
      }),
    ],
  ];
  test.each(inputs.map(([schema, input]) => [schema.name, schema, input] as const))('%s', (_name, schema, input) => {
    const encode = compileJson(schema);
    fc.assert(
      fc.property(input, (json) => {
        const back = encode(messageOf(schema, json));
        for (const field of schema.fields) {
          const given = json[field.name];
          if (given !== undefined) expect(back[publicName(field)]).toEqual(given);
        }
      }),
    );
  });
});
