// A mail as an SMTP server receives it: text and files.
import net from 'node:net';
import { receiveMail } from '@clinic/lib/testing/smtp-server.ts';
import { expect, test } from '@jest/globals';
import { createMailer } from './mailer.ts';

test('text and files arrive', async () => {
  const server = await receiveMail();
  const send = createMailer({ smtpUrl: server.url, from: 'Clínica <no-reply@clinic.example>', folder: '/nowhere' });
  const content = Buffer.from('{"identificacion":{"tipoDte":"01"}}');
  await send('id-1', 'ana@example.com', {
    subject: 'Documento',
    text: 'Hola, Ana\n',
    attachments: [{ filename: 'A1.json', contentType: 'application/json', content }],
  });
  const mail = await server.mail;
  server.close();
  expect(mail).toMatch(/^To: ana@example\.com\r$/m);
  expect(mail).toContain('<id-1@clinic.example>');
  expect(mail).toContain('Hola, Ana');
  expect(mail).toMatch(/Content-Type: application\/json; name=A1\.json/);
  expect(mail).toContain(content.toString('base64'));
});

test('the error of a refusal names the server and its answer, without addresses', async () => {
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.write('220 test\r\n');
    socket.on('data', (text) => socket.write(/^RCPT/i.test(String(text)) ? '550 5.1.1 <ana@example.com>: mailbox full\r\n' : '250 test\r\n'));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as net.AddressInfo;
  const send = createMailer({ smtpUrl: `smtp://127.0.0.1:${port}`, from: 'no-reply@clinic.example', folder: '/nowhere' });
  const failure = await send('id-1', 'ana@example.com', { subject: 'Hola', text: 'Hola', attachments: [] }).catch((error) => error);
  server.close();
  expect(failure).toMatchObject({ code: 'EENVELOPE', responseCode: 550 });
  expect(failure.message).toMatch(new RegExp(`^mail server 127\\.0\\.0\\.1:${port}: .*550 5\\.1\\.1 <\\[address\\]>: mailbox full`));
  expect(failure.message).not.toContain('ana@');
});
