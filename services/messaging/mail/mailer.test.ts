// A mail as an SMTP server receives it: text and files.
import net from 'node:net';
import { expect, test } from '@jest/globals';
import { createMailer } from './mailer.ts';

/** An SMTP server that accepts one mail and resolves `mail` with it. */
async function listen(): Promise<{ url: string; mail: Promise<string>; close(): void }> {
  const { promise: mail, resolve } = Promise.withResolvers<string>();
  const server = net.createServer((socket) => {
    let data: string | undefined;
    socket.on('error', () => {});
    socket.write('220 test\r\n');
    socket.setEncoding('latin1').on('data', (text: string) => {
      if (data !== undefined) data += text;
      else if (/^EHLO/i.test(text)) return void socket.write('250 test\r\n');
      else if (/^DATA/i.test(text)) {
        data = '';
        return void socket.write('354 go on\r\n');
      }
      if (data !== undefined && !data.endsWith('\r\n.\r\n')) return;
      if (data !== undefined) resolve(data);
      data = undefined;
      socket.write('250 ok\r\n');
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return { url: `smtp://127.0.0.1:${(server.address() as net.AddressInfo).port}`, mail, close: () => server.close() };
}

test('text and files arrive', async () => {
  const server = await listen();
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
