// An SMTP server for tests.
import net from 'node:net';

/** An SMTP server that accepts one mail and resolves `mail` with it. */
export async function receiveMail(): Promise<{ url: string; mail: Promise<string>; close(): void }> {
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
