// An SMTP server for tests, which parses the mails that it receives, and fails on demand.
import type { AddressInfo, Socket } from 'node:net';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';

export type MailServer = {
  url: string;
  /** The mails that were accepted. */
  mails: ParsedMail[];
  /** Addresses that are refused. */
  refused: Set<string>;
  /** How many more times the connection is lost while a mail is being received. */
  losses: number;
  close(): Promise<void>;
};

export async function startMailServer(): Promise<MailServer> {
  const sockets = new Set<Socket>();
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo: ({ address }, _session, done) =>
      done(server.refused.has(address) ? Object.assign(new Error(`5.1.1 <${address}>: mailbox full`), { responseCode: 550 }) : null),
    onData(stream, _session, done) {
      if (server.losses > 0) {
        server.losses--;
        for (const socket of sockets) socket.destroy();
      }
      simpleParser(stream).then((mail) => {
        server.mails.push(mail);
        done();
      }, done);
    },
  });
  smtp.on('error', () => {}); // errors of lost connections
  smtp.server.on('connection', (socket: Socket) => sockets.add(socket.on('close', () => sockets.delete(socket))));
  const server: MailServer = { url: '', mails: [], refused: new Set(), losses: 0, close: () => new Promise((resolve) => smtp.close(() => resolve())) };
  await new Promise<void>((listening) => smtp.listen(0, '127.0.0.1', listening));
  server.url = `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`;
  return server;
}
