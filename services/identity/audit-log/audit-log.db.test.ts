// The audit log over all services: order, pages, filters and access.
import { randomUUID } from 'node:crypto';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import type { ListAuditEntriesRequest } from '@clinic/proto/common/v1/audit_pb.js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Identity, startIdentity } from '../testing/identity.ts';

let i: Identity;
beforeAll(async () => {
  i = await startIdentity();
});
afterAll(() => i.stop());

describe('the audit log', () => {
  const entry = (id: string, at: string, changed = {}) => ({
    id,
    at: { seconds: BigInt(Date.parse(at) / 1000), nanos: 0 },
    actorKind: 'user',
    actorId: randomUUID(),
    action: 'patient.dui_read',
    entity: 'patient',
    entityId: 'p1',
    ip: '192.0.2.7',
    requestId: 'r1',
    changes: '',
    ...changed,
  });

  test('contains the entries of all services, newest first, with names and changes as text', async () => {
    const { admin, id } = await i.clinic();
    const [{ user_id: adminId }] = await i.look('select id as user_id from users where clinic_id = $1', [id]);
    i.dependencies.answers['scheduling.listAuditEntries'] = () => ({
      total: 2,
      entries: [
        entry('b', '2099-01-02T00:00:00Z', { actorId: adminId, changes: '{"status":{"from":"confirmed","to":"cancelled"},"phone":{"from":null,"to":"***"}}' }),
        entry('a', '2020-01-02T00:00:00Z', { actorId: adminId }),
      ],
    });
    i.dependencies.answers['dental.listAuditEntries'] = () => ({ total: 1, entries: [entry('c', '2099-01-01T00:00:00Z')] });
    await i.settings.updateProfile({ city: 'Apopa' }, admin);
    const { entries, total } = await i.auditLog.listAuditLog({ entity: '' }, admin);
    expect(entries.map(({ service, id: one }) => (one.length === 1 ? `${service} ${one}` : service))).toEqual([
      'scheduling b',
      'dental c',
      'identity',
      'identity',
      'scheduling a',
    ]);
    expect(total).toBe(5);
    expect(entries[0]).toMatchObject({
      actorName: 'Ana Rivas',
      ip: '192.0.2.7',
      changes: [
        { field: 'status', from: 'confirmed', to: 'cancelled' },
        { field: 'phone', to: '***' },
      ],
    });
    expect((await i.auditLog.listAuditLog({ page: 2, limit: 2 }, admin)).entries.map(({ service }) => service)).toEqual(['identity', 'identity']);
    const { content, nextCursor } = await i.auditLog.exportAuditLog({}, admin);
    expect(nextCursor).toBe('');
    const lines = Buffer.from(content).toString().trim().split('\r\n');
    expect(lines).toHaveLength(6);
    expect(lines[1]).toBe(
      `"2099-01-02T00:00:00.000Z","scheduling","user","${adminId}","Ana Rivas","patient.dui_read","patient","p1","status: confirmed → cancelled; phone:  → ***","192.0.2.7","r1","b"`,
    );
    delete i.dependencies.answers['scheduling.listAuditEntries'];
    delete i.dependencies.answers['dental.listAuditEntries'];
  });

  test('can be read completely, by pages and as CSV, regardless of its length', async () => {
    const { admin, id } = await i.clinic();
    const OLD = 6_500;
    await i.look(
      `insert into audit_log (clinic_id, id, at, actor_kind, actor_id, action, entity, entity_id, ip, request_id)
       select $1, gen_random_uuid(), timestamptz '2020-01-01' + n / 3 * interval '1 microsecond', 'service', 'tests', 'update', 'line', n::text, '', ''
       from generate_series(1, ${OLD}) n`,
      [id],
    );
    const seen: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const answer: { entries: { entityId: string }[]; total: number; nextCursor?: string | undefined } = await i.auditLog.listAuditLog(
        { limit: 500, cursor },
        admin,
      );
      expect(answer.total).toBe(OLD + 1);
      seen.push(...answer.entries.map(({ entityId }) => entityId));
      cursor = answer.nextCursor;
    }
    expect([seen.length, new Set(seen).size, seen.at(-1)]).toEqual([OLD + 1, OLD + 1, expect.stringMatching(/^[12]$/)]);
    let file = '';
    for (let cursor = '', more = true; more; more = cursor !== '') {
      const page = await i.auditLog.exportAuditLog({ cursor }, admin);
      file += Buffer.from(page.content).toString();
      cursor = page.nextCursor;
    }
    expect(file.trim().split('\r\n')).toHaveLength(OLD + 2);
    await expect(i.auditLog.listAuditLog({ cursor: 'x' }, admin)).rejects.toMatchObject({ details: [{ path: 'cursor' }] });
  });

  test('pages after the first do not contain entries that were written since, not even of a service that had none', async () => {
    const { admin } = await i.clinic();
    const stored: Record<string, ReturnType<typeof entry>[]> = {
      dental: [],
      scheduling: [3, 2, 1].map((second) => entry(randomUUID(), `2099-01-01T00:00:0${second}Z`)),
    };
    for (const service of Object.keys(stored)) {
      i.dependencies.answers[`${service}.listAuditEntries`] = ({ to, beforeId, limit }: ListAuditEntriesRequest) => {
        const [all = [], end] = [stored[service], to && timestampDate(to)];
        const older = all.slice(all.findIndex(({ id }) => id === beforeId) + 1);
        return { total: all.length, entries: older.filter(({ at }) => !end || Number(at.seconds) * 1000 < end.getTime()).slice(0, limit) };
      };
    }
    const seen: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const page: { entries: { id: string }[]; nextCursor?: string | undefined } = await i.auditLog.listAuditLog(
        { limit: 1, cursor, entity: 'patient' },
        admin,
      );
      seen.push(...page.entries.map(({ id }) => id));
      stored.dental?.unshift(entry(randomUUID(), '2099-01-02T00:00:00Z'));
      cursor = page.nextCursor;
    }
    for (const service of Object.keys(stored)) delete i.dependencies.answers[`${service}.listAuditEntries`];
    expect(seen).toEqual(stored.scheduling?.map(({ id }) => id));
  });

  test('can be filtered by every field', async () => {
    const { admin } = await i.clinic();
    const from = { seconds: BigInt(Math.floor(Date.now() / 1000) + 3600), nanos: 0 };
    await i.settings.updateProfile({ city: 'Apopa' }, admin);
    const actions = async (filter: object) => (await i.auditLog.listAuditLog(filter, admin)).entries.map(({ action }) => action);
    expect(await actions({})).toEqual(['clinic.updated', 'clinic.registered']);
    expect(await actions({ action: 'clinic.updated' })).toEqual(['clinic.updated']);
    expect(await actions({ entity: 'patient' })).toEqual([]);
    expect(await actions({ entityId: randomUUID() })).toEqual([]);
    expect(await actions({ actor: randomUUID() })).toEqual([]);
    expect(await actions({ from })).toEqual([]);
    expect(await actions({ to: from })).toHaveLength(2);
  });

  test('a row of an earlier release is returned and found under the current name of its action', async () => {
    const { admin, id } = await i.clinic();
    await i.look(
      `insert into audit_log (clinic_id, id, actor_kind, actor_id, action, entity, entity_id, ip, request_id)
       values ($1, gen_random_uuid(), 'service', 'billing', 'update', 'clinic', 'c1', '', '')`,
      [id],
    );
    await i.settings.updateProfile({ city: 'Apopa' }, admin);
    for (const action of ['clinic.updated', 'update']) {
      const { entries } = await i.auditLog.listAuditLog({ action, entity: 'clinic' }, admin);
      expect(entries.map((entry) => entry.action)).toEqual(['clinic.updated', 'clinic.updated']);
    }
    expect((await i.auditLog.listAuditLog({ action: 'user.updated' }, admin)).total).toBe(0);
  });

  test('fails if a service is unavailable, instead of returning an incomplete log', async () => {
    const { admin } = await i.clinic();
    i.dependencies.answers['billing.listAuditEntries'] = () => {
      throw Object.assign(new Error('unavailable'), { code: 'ECONNREFUSED' });
    };
    await expect(i.auditLog.listAuditLog({}, admin)).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    delete i.dependencies.answers['billing.listAuditEntries'];
  });

  test('is for admins only, and limits how far a page number goes back', async () => {
    const { admin, reader } = await i.clinic();
    await expect(i.auditLog.listAuditLog({}, reader)).rejects.toMatchObject({ reason: 'FORBIDDEN' });
    await expect(i.auditLog.exportAuditLog({}, reader)).rejects.toMatchObject({ reason: 'FORBIDDEN' });
    await expect(i.auditLog.listAuditLog({ page: 11, limit: 500 }, admin)).rejects.toMatchObject({ reason: 'VALIDATION_ERROR', details: [{ path: 'page' }] });
  });

  test('entries are added to the hash chain while the service runs', async () => {
    const { verifyAudit } = await import('@clinic/lib/audit/audit-verify.ts');
    const { id, admin } = await i.clinic();
    await i.settings.updateProfile({ city: 'Apopa' }, admin);
    await waitFor(async () => (await verifyAudit(i.service.db)).some(({ clinicId, pending, linked }) => clinicId === id && pending === 0 && linked === 2));
    expect((await verifyAudit(i.service.db)).find(({ clinicId }) => clinicId === id)?.faults).toEqual([]);
  });
});
