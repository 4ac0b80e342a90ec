// Mails as their recipients read them: subject, names, text, HTML and files.
import { type MailServer, startMailServer } from '@clinic/lib/testing/smtp-server.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { MAIL_KINDS, missingParameters, writeMail } from './mail-texts-rules.ts';
import { createMailer, type Mailer } from './mailer.ts';

let server: MailServer;
let send: Mailer;
beforeAll(async () => {
  server = await startMailServer();
  send = createMailer({ smtpUrl: server.url, from: 'Clínica Ñandú <no-reply@clinic.example>', folder: '/nowhere' });
});
afterAll(() => server.close());

const link = 'https://clinic.example/forms/x?a=1&b=2';
const form = () => writeMail('form', { name: 'José Peña', clinic: 'Sonrisas «Ñuñoa»', title: 'Historia médica', link });

test('subject, names, both parts and files arrive as they were written', async () => {
  const content = Buffer.from('{"identificacion":{"tipoDte":"01"}}');
  await send('id-1', 'ana@example.com', { ...form(), attachments: [{ filename: 'A1.json', contentType: 'application/json', content }] });
  const mail = server.mails.at(-1);
  expect(mail).toMatchObject({
    subject: 'Sonrisas «Ñuñoa»: Historia médica',
    from: { value: [{ name: 'Clínica Ñandú', address: 'no-reply@clinic.example' }] },
    to: { value: [{ address: 'ana@example.com' }] },
    messageId: '<id-1@clinic.example>',
    attachments: [{ filename: 'A1.json', contentType: 'application/json', content }],
  });
  expect(mail?.text).toContain(`Hola, José Peña:\n\nSonrisas «Ñuñoa» le pide llenar y firmar «Historia médica».`);
  expect(mail?.html).toContain('<html lang="es">');
  expect(mail?.html).toContain('<a href="https://clinic.example/forms/x?a=1&amp;b=2"');
});

test('a reminder links to the appointment and to missing forms', () => {
  const manage = 'https://clinic.example/manage/x';
  const reminder = { name: 'Ana', clinic: 'Sol', appointment: 'miércoles 3 de junio, 10:00 a. m.', manage };
  expect(writeMail('appointment_reminder', reminder).text).toContain('Le recordamos su cita en Sol:\nmiércoles 3 de junio, 10:00 a. m.\n');
  const { text, html } = writeMail('appointment_reminder', { ...reminder, forms: link });
  expect(text).toContain(`\nLlenar los formularios: ${link}\n`);
  expect(text).toContain(`\nConfirmar, cambiar o cancelar su cita: ${manage}\n`);
  expect(html).toContain(`<a href="${manage}"`);
  expect(html).toMatch(/<a href="https:\/\/clinic\.example\/forms\/x\?a=1&amp;b=2"[^>]*>Llenar los formularios<\/a>/);
});

test('a notice links to the appointment if it takes place', () => {
  const notice = { clinic: 'Sol', text: 'Hola, Ana. Su cita en Sol cambió. Ahora es:\n📅 miércoles 3 de junio' };
  expect(writeMail('appointment_notice', { ...notice, manage: link }).text).toBe(`${notice.text}\n\nVer, cambiar o cancelar su cita: ${link}\n`);
  expect(writeMail('appointment_notice', notice).text).toBe(`${notice.text}\n\nSi necesita otra hora, llame o escriba a la clínica.\n`);
});

test('the error of a refusal names the server and its response, without addresses', async () => {
  server.refused.add('ana@example.com');
  const failure = await send('id-2', 'ana@example.com', { ...form(), attachments: [] }).catch((error) => error);
  server.refused.clear();
  expect(failure).toMatchObject({ code: 'EENVELOPE', responseCode: 550 });
  expect(failure.message).toMatch(/^mail server 127\.0\.0\.1:\d+: .*550 5\.1\.1 <\[address\]>: mailbox full/);
  expect(failure.message).not.toContain('ana@');
});

test('every kind ends its sentences with one full stop; its HTML escapes text written by people, links only to URLs of the product, and loads nothing', () => {
  const hostile = '<b>"x"</b> https://evil.example/ & cía.';
  for (const kind of MAIL_KINDS) {
    const given = Object.fromEntries(missingParameters(kind, {}).map((name) => [name, name === 'link' || name === 'manage' ? link : hostile]));
    const { text, html } = writeMail(kind, given);
    expect(text).not.toContain('..');
    expect(html).not.toContain('<b>');
    expect([...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual(
      given.link || given.manage ? ['https://clinic.example/forms/x?a=1&amp;b=2'] : [],
    );
    expect(html).not.toMatch(/\b(src|background|srcset)=|url\(|@import|<(img|script|link|iframe|style)/);
  }
  expect(writeMail('demo_accepted', { name: 'Ana', clinic: 'Sol', code: '7KQ2-M0XZ', link, expires: 'mañana' }).html).toMatch(/<span [^>]*>7KQ2-M0XZ<\/span>/);
});

test('the mail with the code of a booking contains nothing that was typed by the person who books', () => {
  const { subject, text, html } = writeMail('booking_code', { name: 'Gane en https://example.org', clinic: 'Sol', code: '123456' });
  for (const part of [subject, text, html]) expect(part).not.toContain('example.org');
  expect(text).toMatch(/^Hola:\n\nSu código para confirmar la cita en Sol es:\n\n {4}123456\n/);
});
