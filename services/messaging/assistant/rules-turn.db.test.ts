// Conversations with the assistant that rules answer, and proposals.
import { randomUUID } from 'node:crypto';
import { fail } from '@clinic/lib/errors/errors.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Assistant, FEATURES, luis, maria, NOW, rivas, startAssistant, TODAY } from '../testing/assistant.ts';
import { ask, auditOf, mariaComes, newUser } from '../testing/assistant-chat.ts';

describe('by rules', () => {
  let s: Assistant;
  beforeAll(async () => {
    s = await startAssistant();
  });
  beforeEach(() => s.reset());
  afterAll(() => s?.stop());

  test('an answer lists its sources, and only the user who asked can read it later', async () => {
    const { id, userId, user, colleague, foreignUser } = newUser();
    const { id: visitId } = mariaComes(s);
    const first = await ask(s, '¿Qué citas hay mañana?', user);
    expect(first.events).toEqual(['token', 'tool', 'token', 'done']);
    expect(first.tools).toEqual(['agenda: Agenda del 2026-11-22: 1 cita']);
    expect(first.text).toBe(
      'Respondo por reglas, sin modelo de lenguaje.\n\n1 cita el domingo 22 de noviembre [1]:\n- 9:00 a. m.: María López Hernández, Dra. Elena Rivas (confirmada) [2]' +
        `\n\nFuentes:\n[1] Agenda 2026-11-22: /api/agenda?date=2026-11-22\n[2] 2026-11-22 09:00: /api/appointments/${visitId}`,
    );
    expect(first.done?.source).toBe('rules');
    const conversationId = first.done?.conversationId ?? '';
    const second = await ask(s, 'who is on the waitlist?', user, conversationId);
    expect(second.text).toContain('On the waitlist: 0');
    expect(second.done?.conversationId).toBe(conversationId);

    const stored = await s.assistant.getAssistantConversation({ id: conversationId }, user);
    expect(stored.messages.map(({ role, source }) => [role, source])).toEqual([
      ['user', undefined],
      ['assistant', 'rules'],
      ['user', undefined],
      ['assistant', 'rules'],
    ]);
    expect(stored.messages[0]?.text).toBe('¿Qué citas hay mañana?');
    expect(stored.messages[1]).toMatchObject({
      text: first.text,
      tools: [{ name: 'agenda' }],
      citations: [{ number: 1 }, { number: 2, kind: 'cita', href: `/api/appointments/${visitId}` }],
    });
    expect(await s.assistant.listAssistantConversations({}, user)).toMatchObject({
      total: 1,
      conversations: [{ id: conversationId, title: '¿Qué citas hay mañana?', messageCount: 4 }],
    });
    for (const other of [colleague, foreignUser]) {
      expect(await s.assistant.listAssistantConversations({}, other)).toMatchObject({ total: 0, conversations: [] });
      await expect(s.assistant.getAssistantConversation({ id: conversationId }, other)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
      await expect(ask(s, 'hola', other, conversationId)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    }
    expect(await auditOf(s, id)).toEqual([
      { action: 'assistant_conversation.question_asked', entity_id: conversationId, actor_id: userId, changes: null },
      {
        action: 'assistant_conversation.tool_used',
        entity_id: conversationId,
        actor_id: userId,
        changes: { tool: 'agenda', outcome: 'ok', source: 'rules' },
      },
      { action: 'assistant_conversation.question_asked', entity_id: conversationId, actor_id: userId, changes: null },
      {
        action: 'assistant_conversation.tool_used',
        entity_id: conversationId,
        actor_id: userId,
        changes: { tool: 'waitlist', outcome: 'ok', source: 'rules' },
      },
    ]);
    // The stored text is encrypted.
    const [messages] = await s.look("select string_agg(encode(content_sealed, 'escape'), ' ') as text from assistant_messages where clinic_id = $1", [id]);
    expect(messages.text).not.toMatch(/Mar|citas|waitlist/);
  });

  test('a question that the rules do not understand gets a list of possible questions', async () => {
    const { user, id } = newUser();
    const asked = await ask(s, '¿Cuál es la capital de Francia?', user);
    expect(asked.text).toContain('No entendí la pregunta. Puede preguntarme');
    expect(asked.done?.source).toBe('rules');
    await ask(s, `¿${'x'.repeat(498)}😀?`, user); // only its beginning is looked for in the FAQ
    const used = (await auditOf(s, id)).filter(({ action }) => action === 'assistant_conversation.tool_used');
    expect(used.map(({ changes }) => changes.outcome)).toEqual(['ok', 'ok']);
  });

  test('tools require a plan and a type of clinic', async () => {
    const { user, id } = newUser();
    const usual = s.answers.resolveClinic;
    s.answers.resolveClinic = (request, call) => ({ ...(usual?.(request, call) as object), features: ['assistant'] });
    for (const question of ['¿Qué citas hay hoy?', '¿Quién debe?', '¿Quién debería volver a control?', 'planes de tratamiento'])
      expect((await ask(s, question, user)).text).toContain('Su plan o su rol no incluye eso.');
    expect((await auditOf(s, id)).filter(({ action }) => action === 'assistant_conversation.tool_used').map(({ changes }) => changes.outcome)).toEqual(
      Array(4).fill('not_allowed'),
    );
    s.answers.resolveClinic = (request, call) => ({ ...(usual?.(request, call) as object), clinicType: 'medical', features: FEATURES });
    expect((await ask(s, '¿Quién debe?', user)).text).toContain('Su plan o su rol no incluye eso.');
    s.answers.resolveClinic = (request, call) => ({ ...(usual?.(request, call) as object), features: [] });
    await expect(ask(s, 'hola', user)).rejects.toMatchObject({ reason: 'PLAN_UPGRADE_REQUIRED' });
  });

  test('commissions are for admins', async () => {
    s.answers.getCommissionReport = () => ({ month: '2026-11', doctors: [{ fullName: rivas.fullName, totalAmount: 4550n }], totalAmount: 4550n });
    expect((await ask(s, 'comisiones', newUser().user)).text).toContain('Su plan o su rol no incluye eso.');
    expect((await ask(s, 'comisiones', newUser('doctor').user)).text).toContain('Su plan o su rol no incluye eso.');
    expect((await ask(s, 'comisiones', newUser('admin').user)).text).toContain('Comisiones de 2026-11: $45.50 [1]\n- Dra. Elena Rivas: $45.50');
  });

  test('every tool answers in both languages', async () => {
    const { user } = newUser();
    mariaComes(s);
    const money = { value: 125000n, previous: 100000n, link: '/api/analytics/records?figure=collected' };
    const share = { value: 0.125, link: '/api/analytics/records' };
    s.answers.getDashboard = ({ from, to }) => ({
      from: from ?? '2026-10-23',
      to: to ?? TODAY,
      revenue: { collected: money, invoiced: money, pending: money, byDoctor: [{ fullName: rivas.fullName, collected: money }] },
      occupancy: { rate: share },
      visits: { booked: { value: 40, previous: 30, link: '/api/appointments' }, noShowRate: share, cancellationRate: share }, // plain-words: visits is public
      patients: { newPatients: { value: 3, previous: 5, link: '/api/analytics/records' } },
      treatment: { acceptanceRate: share },
    });
    // plain-words: visits is public
    s.answers.getPeakHours = () => ({ from: TODAY, to: TODAY, hours: [{ weekday: 1, hour: 9, visits: { value: 7, link: '' } }] });
    const plan = {
      id: randomUUID(),
      patientId: maria.id,
      title: 'Ortodoncia',
      description: 'Frenos',
      status: 'overdue',
      totalAmount: 50000n,
      amountPaid: 12550n,
      nextDueDate: '2026-10-01',
    };
    s.answers.listTreatmentPlans = () => ({ plans: [{ ...plan, status: 'active', estimatedTotal: 50000n }], total: 1 });
    s.answers.listPaymentPlans = () => ({ plans: [plan], total: 1 });
    s.answers.getPaymentSummary = () => ({ totalCollected: 12550n, totalPending: 37450n, activeCount: 0, overdueCount: 1 });
    s.answers.listRecallCampaigns = () => ({ campaigns: [{ id: randomUUID(), name: 'Limpieza', isActive: true }] });
    s.answers.listRecallEligible = () => ({ patients: [{ patientId: luis.id, patientName: luis.fullName, lastVisit: '2026-01-02' }], total: 1 });
    s.answers.getRecallStats = () => ({ sentThisMonth: 4, responded: 2, booked: 1 });
    s.answers.listAppointments = () => ({ appointments: [], total: 0 });
    const said: [string, RegExp][] = [
      [
        'ingresos de este mes',
        /Cobrado: \$1,250\.00 \(\$1,000\.00\)\n.*Ausentismo: 12\.5 % \(sin datos\).*\[1\] Cifras 2026-11-01 – 2026-11-30: \/api\/analytics\/dashboard\?from=2026-11-01&to=2026-11-30/s,
      ],
      ['what is the revenue this month?', /Collected: \$1,250\.00 \(\$1,000\.00\)/],
      ['horas pico', /lunes, 9:00: 7/],
      ['planes de tratamiento', /María López Hernández: Ortodoncia, activo, \$500\.00 \[1\]/],
      [
        '¿quién debe?',
        /Cobrado \$125\.50, pendiente \$374\.50\. Planes activos: 0, vencidos: 1 .*María López Hernández: Frenos, vencido, debe \$374\.50, desde 2026-10-01 \[2\]/s,
      ],
      ['who is overdue?', /Payment plans \(overdue\): 1\n- María López Hernández: Frenos, overdue, owes \$374\.50, due 2026-10-01/],
      ['¿quién debería volver a control?', /volver a control: 1\n- Limpieza: 1 \(Luis Pérez\) \[1\]\nEste mes: 4 enviados/],
      ['busca a María López', /María López Hernández, \+50370001111 \[1\]\n- domingo 22 de noviembre, 9:00 a\. m\.: .*Ortodoncia.*Frenos/s],
      ['¿Qué espacios libres hay mañana?', /Dra\. Elena Rivas, domingo 22 de noviembre: 9:00 a\. m\., 9:30 a\. m\., 10:00 a\. m\. \[1\]/],
      ['¿Qué chats esperan respuesta?', /Ningún chat espera la respuesta de una persona/],
      ['which appointments are unconfirmed today?', /0 appointments \(unconfirmed\), Saturday, 21 November \[1\]\./],
      ['¿Qué citas tiene Elena Rivas hoy, por favor?', /el sábado 21 de noviembre/],
      ['busca por favor a la señora Maria Lopes hoy', /No encontré un paciente con el nombre «Maria Lopes»\. ¿Es alguien de estos\? María López Hernández\./],
      ['Find Mr. Luis Peres please', /I found no patient named “Luis Peres”\. Is it one of these\? Luis Pérez\./],
      ['busca a Zoila', /No encontré un paciente con el nombre «Zoila»/],
    ];
    for (const [question, answer] of said) expect((await ask(s, question, user)).text).toMatch(answer);
  });

  test('while a service is unavailable, the answer reports it and ends', async () => {
    s.answers.getAgenda = () => fail('UNAVAILABLE');
    const asked = await ask(s, '¿Qué citas hay hoy?', newUser().user);
    expect(asked.text).toContain('no está disponible en este momento');
    expect(asked.events.at(-1)).toBe('done');
  });

  test.each(['', ' ', 'x'.repeat(4001), 'a\0b'])('an invalid question is refused: %#', async (message) => {
    await expect(ask(s, message, newUser().user)).rejects.toMatchObject({ reason: 'VALIDATION_ERROR' });
  });

  describe('proposals', () => {
    test('a confirmed booking is executed once, despite twenty concurrent confirmations', async () => {
      const { id, user, userId, colleague, foreignUser } = newUser();
      mariaComes(s);
      const booked: object[] = [];
      s.answers.bookAppointment = (request, { idempotencyKey, caller }) => {
        booked.push({ ...request, key: idempotencyKey, caller: caller.id, kind: caller.kind });
        return { id: '019ab0c4-0000-7000-8000-000000000001' };
      };
      const asked = await ask(s, 'Agenda a María López con la Dra. Rivas el 2026-11-23 a las 9:30', user);
      const [confirm] = asked.confirms;
      expect(confirm?.summary).toBe('Agendar a María López Hernández (+50370001111) con Dra. Elena Rivas el lunes 23 de noviembre a las 9:30 a. m.');
      expect(asked.text).toContain('el lunes 23 de noviembre a las 9:30 a. m. ¿Lo confirma?');
      expect(booked).toEqual([]);
      const actionId = confirm?.actionId ?? '';
      for (const other of [colleague, foreignUser]) {
        await expect(s.assistant.confirmAction({ id: actionId }, other)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
        await expect(s.assistant.rejectAction({ id: actionId }, other)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
      }
      const ends = await Promise.allSettled(Array.from({ length: 20 }, () => s.assistant.confirmAction({ id: actionId }, user)));
      const good = ends.filter((end) => end.status === 'fulfilled');
      expect(good).toMatchObject([{ value: { status: 'confirmed', kind: 'book', resultId: '019ab0c4-0000-7000-8000-000000000001' } }]);
      expect(ends.filter((end) => end.status === 'rejected').map(({ reason }) => reason.reason)).toEqual(Array(19).fill('ASSISTANT_ACTION_CLOSED'));
      expect(booked).toMatchObject([
        {
          doctorId: rivas.id,
          appointmentDate: '2026-11-23',
          startTime: '09:30',
          patientId: maria.id,
          key: `assistant-${actionId}`,
          caller: userId,
          kind: 'user',
        },
      ]);
      const lines = (await auditOf(s, id)).filter(({ action }) => action.startsWith('assistant_action.'));
      expect(lines.map(({ action, changes }) => ({ action, ...changes }))).toEqual([
        { action: 'assistant_action.proposed', kind: 'book', source: 'rules' },
        { action: 'assistant_action.confirmed', kind: 'book', status: 'confirmed' },
      ]);
      expect(JSON.stringify(await auditOf(s, id))).not.toMatch(/María|López|\+503/);
    });

    test('a phone of a booking is that of a new patient, or of a patient with the same name', async () => {
      const { user } = newUser();
      mariaComes(s);
      const booked: object[] = [];
      s.answers.bookAppointment = ({ patientId, patientName, patientPhone }) => {
        booked.push({ patientId, patientName, patientPhone });
        return { id: randomUUID() };
      };
      const child = { id: randomUUID(), fullName: 'Ana López', reachablePhone: maria.phone };
      const owner = { ...maria, reachablePhone: maria.phone };
      s.answers.findPatientByPhone = ({ phone }) => (phone === maria.phone ? { patient: owner, dependants: [child] } : {});
      const propose = (patient: string, phone: string) => ask(s, `Agenda a ${patient} ${phone} con la Dra. Rivas el 2026-11-23 a las 9:30`, user);
      const book = async (patient: string, phone: string) => {
        const [confirm] = (await propose(patient, phone)).confirms;
        await s.assistant.confirmAction({ id: confirm?.actionId ?? '' }, user);
        return confirm?.summary;
      };
      expect(await book('Iris Paz', '7000-3333')).toContain('Agendar a Iris Paz (+50370003333) con');
      expect(await book('Maria Lopez Hernandez', '7000-1111')).toContain('Agendar a María López Hernández (+50370001111) con');
      expect(await book('Ana López', maria.phone)).toContain('Agendar a Ana López (+50370001111) con');
      s.answers.findPatientByPhone = () => ({ patient: { ...owner, isArchived: true } });
      await book(maria.fullName, maria.phone); // restored by a booking with the name and the phone
      expect(booked).toEqual([
        { patientId: undefined, patientName: 'Iris Paz', patientPhone: '+50370003333' },
        { patientId: maria.id, patientName: undefined, patientPhone: undefined },
        { patientId: child.id, patientName: undefined, patientPhone: undefined },
        { patientId: undefined, patientName: maria.fullName, patientPhone: maria.phone },
      ]);
      // The booking would rename the patient who has the phone.
      const refused = await propose('Iris Paz', '7000-1111');
      expect(refused).toMatchObject({ confirms: [], text: expect.stringContaining('Ese teléfono ya es de María López Hernández') });
    });

    test('a start that is not free is not proposed', async () => {
      mariaComes(s);
      const asked = await ask(s, 'Agenda a María López con la Dra. Rivas el 2026-11-23 a las 11:00', newUser().user);
      expect(asked.confirms).toEqual([]);
      expect(asked.text).toContain('A esa hora no hay espacio. Libres: 9:00 a. m., 9:30 a. m., 10:00 a. m.');
    });

    test('a rejected cancellation changes nothing', async () => {
      const { user } = newUser();
      mariaComes(s);
      s.answers.updateAppointmentStatus = () => fail('INTERNAL');
      const asked = await ask(s, 'Cancela la cita de María López mañana', user);
      const [confirm] = asked.confirms;
      expect(confirm?.summary).toBe('Cancelar la cita de María López Hernández con Dra. Elena Rivas el domingo 22 de noviembre a las 9:00 a. m.');
      expect(await s.assistant.rejectAction({ id: confirm?.actionId ?? '' }, user)).toMatchObject({ status: 'rejected' });
      await expect(s.assistant.confirmAction({ id: confirm?.actionId ?? '' }, user)).rejects.toMatchObject({ reason: 'ASSISTANT_ACTION_CLOSED' });
      await expect(s.assistant.rejectAction({ id: confirm?.actionId ?? '' }, user)).rejects.toMatchObject({ reason: 'ASSISTANT_ACTION_CLOSED' });
      const stored = await s.assistant.getAssistantConversation({ id: asked.done?.conversationId ?? '' }, user);
      expect(stored.actions).toMatchObject([{ kind: 'cancel', status: 'rejected', summary: confirm?.summary }]);
    });

    test('a refusal is final; after a failure the user may confirm again', async () => {
      const { user } = newUser();
      const { id: visitId } = mariaComes(s);
      const first = (await ask(s, 'Cancela la cita de María López', user)).confirms[0]?.actionId ?? '';
      s.answers.updateAppointmentStatus = () => fail('UNAVAILABLE');
      await expect(s.assistant.confirmAction({ id: first }, user)).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
      s.answers.updateAppointmentStatus = ({ id, status }) => ({ id, status });
      expect(await s.assistant.confirmAction({ id: first }, user)).toMatchObject({ status: 'confirmed', resultId: visitId });
      const second = (await ask(s, 'Cancela la cita de María López', user)).confirms[0]?.actionId ?? '';
      s.answers.updateAppointmentStatus = () => fail('FORBIDDEN');
      await expect(s.assistant.confirmAction({ id: second }, user)).rejects.toMatchObject({ reason: 'FORBIDDEN' });
      await expect(s.assistant.confirmAction({ id: second }, user)).rejects.toMatchObject({ reason: 'ASSISTANT_ACTION_CLOSED' });
    });

    test.each([
      ['that never finished', 31],
      ['that never finished and began before the clock was set back', -60],
    ])('an execution %s is repeated, with the same idempotency key', async (_, age) => {
      const { user } = newUser();
      mariaComes(s);
      const keys: unknown[] = [];
      s.answers.updateAppointmentStatus = ({ id, status }, { idempotencyKey }) => {
        keys.push(idempotencyKey);
        return { id, status };
      };
      const id = (await ask(s, 'Cancela la cita de María López', user)).confirms[0]?.actionId ?? '';
      const since = (seconds: number) =>
        s.look("update assistant_actions set status = 'executing', decided_at = $2 where id = $1", [id, new Date(NOW.getTime() - seconds * 1000)]);
      await since(29);
      await expect(s.assistant.confirmAction({ id }, user)).rejects.toMatchObject({ reason: 'ASSISTANT_ACTION_CLOSED' });
      await since(age);
      expect(await s.assistant.confirmAction({ id }, user)).toMatchObject({ status: 'confirmed' });
      expect(keys).toEqual([`assistant-${id}`]);
    });

    test('an execution that was abandoned a day ago is not repeated, because its idempotency key is deleted by then', async () => {
      const { user } = newUser();
      mariaComes(s);
      const id = (await ask(s, 'Cancela la cita de María López', user)).confirms[0]?.actionId ?? '';
      const dayAgo = new Date(NOW.getTime() - 24 * 3_600_000);
      await s.look("update assistant_actions set status = 'executing', decided_at = $2 where id = $1", [id, dayAgo]);
      await expect(s.assistant.confirmAction({ id }, user)).rejects.toMatchObject({ reason: 'ASSISTANT_ACTION_CLOSED' });
    });

    test('a proposal expires after an hour', async () => {
      const { user } = newUser();
      mariaComes(s);
      const asked = await ask(s, 'Cancela la cita de María López', user);
      const id = asked.confirms[0]?.actionId ?? '';
      await s.look('update assistant_actions set expires_at = $2 where id = $1', [id, NOW]);
      await expect(s.assistant.confirmAction({ id }, user)).rejects.toMatchObject({ reason: 'ASSISTANT_ACTION_CLOSED' });
      expect((await s.assistant.getAssistantConversation({ id: asked.done?.conversationId ?? '' }, user)).actions).toMatchObject([{ status: 'expired' }]);
    });

    test('a message is sent as the user’s reply, and only within 24 hours of the patient’s last message', async () => {
      const { id, user, userId } = newUser();
      mariaComes(s);
      expect((await ask(s, 'Envía un mensaje a María López: Le esperamos', user)).text).toContain('no ha escrito en las últimas 24 horas');
      await s.look("insert into conversations (clinic_id, id, phone, status, unread_count, window_expires_at) values ($1, $2, $3, 'open', 2, $4)", [
        id,
        randomUUID(),
        maria.phone,
        new Date(NOW.getTime() + 3_600_000),
      ]);
      const channel = `insert into channels (clinic_id, status, phone_number_id, access_token_sealed) values ($1, 'active', 'number', '')`; // plain-words: sealed is in the names of columns
      await s.look(channel, [id]);
      const asked = await ask(s, 'Envía un mensaje a María López: Le esperamos', user);
      expect(asked.confirms[0]?.summary).toBe('Escribir a María López Hernández (+50370001111): «Le esperamos»');
      const sent = () => s.look("select content->>'text' as text, sender, sent_by from messages where clinic_id = $1", [id]);
      expect(await sent()).toEqual([]);
      expect(await s.assistant.confirmAction({ id: asked.confirms[0]?.actionId ?? '' }, user)).toMatchObject({ status: 'confirmed' });
      expect(await sent()).toEqual([{ text: 'Le esperamos', sender: 'user', sent_by: userId }]);
      expect(await s.look('select unread_count, assigned_user_id from conversations where clinic_id = $1', [id])).toEqual([
        { unread_count: 0, assigned_user_id: userId },
      ]);
      // An execution that was interrupted after the message was stored does not send it again.
      const broken = [asked.confirms[0]?.actionId, new Date(NOW.getTime() - 31_000)];
      await s.look("update assistant_actions set status = 'executing', decided_at = $2 where id = $1", broken);
      expect(await s.assistant.confirmAction({ id: asked.confirms[0]?.actionId ?? '' }, user)).toMatchObject({ status: 'confirmed' });
      expect(await sent()).toHaveLength(1);
    });

    test('an unknown or invalid id is not found', async () => {
      for (const id of ['', 'x', randomUUID()]) {
        await expect(s.assistant.confirmAction({ id }, newUser().user)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
        await expect(s.assistant.rejectAction({ id }, newUser().user)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
      }
    });
  });
});
