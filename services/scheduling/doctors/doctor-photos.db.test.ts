// Photos of doctors: re-encoded, one each, visible to anyone who knows the address.
import { randomUUID } from 'node:crypto';
import { asAnonymous } from '@clinic/lib/testing/callers.ts';
import { DoctorPhotoService } from '@clinic/proto/scheduling/v1/photo_pb.js';
import type { Client } from '@connectrpc/connect';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import sharp from 'sharp';
import type { App } from '../app.ts';
import { reportStorage } from '../files/storage-job.ts';
import { type Scheduling, startScheduling } from '../testing/clinic.ts';

let s: Scheduling;
let photos: Client<typeof DoctorPhotoService>;
let png: Buffer;
beforeAll(async () => {
  s = await startScheduling();
  photos = s.service.client(DoctorPhotoService);
  png = await sharp({ create: { width: 900, height: 600, channels: 3, background: 'teal' } })
    .withExif({ IFD0: { Artist: 'Secreto' } })
    .png()
    .toBuffer();
});
afterAll(() => s.service.stop());

const idOf = (url = '') => url.split('/').at(-1) ?? '';
const show = (url?: string) => photos.getDoctorPhoto({ id: idOf(url) }, asAnonymous());

test('a photo is re-encoded, replaces the previous one, and can be removed', async () => {
  const { id, doctor } = await s.clinic();
  const first = await photos.setDoctorPhoto({ id: doctor.id, content: png, contentType: 'image/png' }, s.asAdmin(id));
  expect(first.photoUrl).toMatch(/^http:\/\/localhost:8080\/api\/doctors\/photos\/[0-9a-f-]{36}$/);
  const shown = await show(first.photoUrl);
  expect([shown.contentType, shown.etag]).toEqual(['image/webp', idOf(first.photoUrl)]);
  expect(await sharp(shown.content).metadata()).toMatchObject({ width: 512, height: 341, format: 'webp' });
  expect(Buffer.from(shown.content).includes('Secreto')).toBe(false);
  expect((await s.doctors.listDoctors({}, s.asUser(id))).doctors[0]?.photoUrl).toBe(first.photoUrl);

  const reports: unknown[] = [];
  const usageReports = { reportStorage: async (report: unknown) => reports.push(report) };
  await reportStorage({ db: s.service.db, usageReports } as unknown as App).work({});
  expect(reports).toEqual([{ stored: [{ clinicId: id, bytes: BigInt(shown.content.length) }] }]);

  const second = await photos.setDoctorPhoto({ id: doctor.id, content: png, contentType: 'image/png' }, s.asAdmin(id));
  expect(second.photoUrl).not.toBe(first.photoUrl);
  await expect(show(first.photoUrl)).rejects.toMatchObject({ reason: 'NOT_FOUND' });

  const unchanged = await s.doctors.updateDoctor({ id: doctor.id, bio: 'x', photoUrl: second.photoUrl }, s.asAdmin(id));
  expect(unchanged.photoUrl).toBe(second.photoUrl);
  for (let i = 0; i < 2; i++) expect((await photos.removeDoctorPhoto({ id: doctor.id }, s.asAdmin(id))).photoUrl).toBeUndefined();
  expect(await s.audited(id, 'doctor.photo_removed')).toHaveLength(1);
  await expect(show(second.photoUrl)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
});

test('a photo address replaces an uploaded photo, and vice versa', async () => {
  const { id, doctor } = await s.clinic();
  const ours = await photos.setDoctorPhoto({ id: doctor.id, content: png, contentType: 'image/png' }, s.asAdmin(id));
  const other = 'https://example.com/ana.jpg';
  expect((await s.doctors.updateDoctor({ id: doctor.id, photoUrl: other }, s.asAdmin(id))).photoUrl).toBe(other);
  await expect(show(ours.photoUrl)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  expect((await photos.setDoctorPhoto({ id: doctor.id, content: png, contentType: 'image/png' }, s.asAdmin(id))).photoUrl).not.toBe(other);
  await s.doctors.updateDoctor({ id: doctor.id, photoUrl: other }, s.asAdmin(id));
  expect((await photos.removeDoctorPhoto({ id: doctor.id }, s.asAdmin(id))).photoUrl).toBeUndefined();
  expect(await s.audited(id, 'doctor.photo_removed')).toHaveLength(1);
  for (const photoUrl of ['http://example.com/ana.jpg', ours.photoUrl ?? '', 'javascript:alert(1)'])
    await expect(s.doctors.updateDoctor({ id: doctor.id, photoUrl }, s.asAdmin(id))).rejects.toMatchObject({ details: [{ path: 'photoUrl' }] });
});

test('only an admin of the clinic can set a photo, and only from a picture', async () => {
  const { id, doctor } = await s.clinic();
  const photo = { id: doctor.id, content: png, contentType: 'image/png' };
  await expect(photos.setDoctorPhoto(photo, s.asUser(id))).rejects.toMatchObject({ reason: 'FORBIDDEN' });
  await expect(photos.setDoctorPhoto(photo, s.asAdmin(randomUUID()))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  await expect(photos.setDoctorPhoto({ ...photo, id: 'x' }, s.asAdmin(id))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  await expect(photos.setDoctorPhoto({ ...photo, content: Buffer.from('<svg/>') }, s.asAdmin(id))).rejects.toMatchObject({ reason: 'VALIDATION_ERROR' });
  await expect(photos.setDoctorPhoto({ ...photo, contentType: 'image/svg+xml' }, s.asAdmin(id))).rejects.toMatchObject({ reason: 'UNSUPPORTED_MEDIA_TYPE' });
});

test('concurrent uploads leave one photo', async () => {
  const { id, doctor } = await s.clinic();
  const made = await Promise.all(
    Array.from({ length: 5 }, () => photos.setDoctorPhoto({ id: doctor.id, content: png, contentType: 'image/png' }, s.asAdmin(id))),
  );
  const shown = await Promise.allSettled(made.map(({ photoUrl }) => show(photoUrl)));
  expect(shown.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});
