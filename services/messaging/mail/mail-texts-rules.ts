// The texts of all mails, in Spanish. Parameters have the names of SendMailRequest.

import { toHtml } from './mail-html-rules.ts';

/** A mail with both of its parts. */
export type Mail = { subject: string; text: string; html: string };
type Parameters = Record<string, string>;
type Text = { needs: string[]; write: (given: Parameters) => Omit<Mail, 'html'> };

/** The parameters that are addresses of pages. */
const LINKS = ['link', 'manage', 'forms'];

/** An instant in Spanish, as local time of `zone`. */
export function formatInstant(at: Date, zone: string): string {
  return new Intl.DateTimeFormat('es', { dateStyle: 'long', timeStyle: 'short', timeZone: zone }).format(at);
}

const lines = (...parts: string[]) => `${parts.join('\n')}\n`;

/** A mail about the security of the recipient's account. */
const notice = (subject: string, sentence: (given: Parameters) => string, ...more: string[]): Text => ({
  needs: ['name', 'clinic', 'at', ...more],
  write: (given) => ({
    subject,
    text: lines(
      `Hola, ${given.name}:`,
      '',
      sentence(given),
      '',
      'Si fue usted, no haga nada. Si no, cambie su contraseña con «¿Olvidó su contraseña?» y avise a un administrador de la clínica.',
    ),
  }),
});

const TEXTS: Record<string, Text> = {
  password_reset: {
    needs: ['name', 'link'],
    write: ({ name, link }) => ({
      subject: 'Restablezca su contraseña',
      text: lines(
        `Hola, ${name}:`,
        '',
        'Recibimos una solicitud para cambiar la contraseña de su cuenta. Abra este enlace, que es válido durante 30 minutos y se puede usar una sola vez:',
        '',
        `${link}`,
        '',
        'Si usted no lo pidió, no haga nada: su contraseña sigue siendo la misma.',
      ),
    }),
  },
  user_invited: {
    needs: ['name', 'clinic', 'link'],
    write: ({ name, clinic, link }) => ({
      subject: `Su cuenta en ${clinic}`,
      text: lines(
        `Hola, ${name}:`,
        '',
        `${clinic} le creó una cuenta. Abra este enlace para elegir su contraseña; es válido durante 72 horas y se puede usar una sola vez:`,
        '',
        `${link}`,
        '',
        'Si ya venció, pida otro con «¿Olvidó su contraseña?».',
      ),
    }),
  },
  demo_accepted: {
    needs: ['name', 'clinic', 'code', 'link', 'expires'],
    write: ({ name, clinic, code, link, expires }) => ({
      subject: 'Su clínica ya puede comenzar',
      text: lines(
        `Hola, ${name}:`,
        '',
        `Aceptamos la solicitud de ${clinic}. Este es su código de invitación:`,
        '',
        `    ${code}`,
        '',
        `Regístrese con él en ${link} hasta el ${expires}.`,
        '',
        'Si tiene preguntas, responda a este correo.',
      ),
    }),
  },
  subscription_expiring: {
    needs: ['name', 'clinic', 'days', 'expires'],
    write: ({ name, clinic, days, expires }) => ({
      subject: `La suscripción de ${clinic} termina ${days === '1' ? 'en un día' : `en ${days} días`}`,
      text: lines(
        `Hola, ${name}:`,
        '',
        `La suscripción de ${clinic} termina el ${expires}. A partir de entonces podrá iniciar sesión, pero no podrá trabajar hasta que la renueve.`,
        '',
        'Sus datos se conservan. Si ya la renovó, no haga nada.',
      ),
    }),
  },
  chat_number_lost: {
    needs: ['name', 'clinic', 'number'],
    write: ({ name, clinic, number }) => ({
      subject: `El número de chat de ${clinic} está conectado ahora a otra clínica`,
      text: lines(
        `Hola, ${name}:`,
        '',
        `Otra clínica demostró ante el proveedor que tiene acceso al número de chat ${number}. A partir de ahora, los mensajes de ese número llegan a esa clínica y ya no a ${clinic}.`,
        '',
        'Si esto no es correcto, revise en el proveedor quién tiene acceso al número y guarde de nuevo la configuración del chat.',
      ),
    }),
  },
  webhook_disabled: {
    needs: ['name', 'clinic', 'host', 'reason'],
    write: ({ name, clinic, host, reason }) => ({
      subject: `Se desactivó un webhook de ${clinic}`,
      text: lines(
        `Hola, ${name}:`,
        '',
        reason === 'gone'
          ? `El servidor ${host} respondió que ya no desea recibir los eventos de ${clinic}, así que dejamos de enviarlos.`
          : `Ningún envío de los últimos tres días al servidor ${host} tuvo éxito, así que dejamos de enviarle los eventos de ${clinic}.`,
        '',
        'Cuando el servidor funcione, pruebe el webhook y actívelo de nuevo. Los eventos que quedaron pendientes se pueden reenviar desde la lista de envíos.',
      ),
    }),
  },
  chat_number_gained: {
    needs: ['name', 'clinic', 'number'],
    write: ({ name, clinic, number }) => ({
      subject: `El número de chat de ${clinic} estaba conectado a otra clínica`,
      text: lines(
        `Hola, ${name}:`,
        '',
        `El proveedor confirmó que ${clinic} tiene acceso al número de chat ${number}, que hasta ahora estaba conectado a otra clínica. A partir de ahora, los mensajes de ese número llegan a ${clinic}.`,
        '',
        'Si esto no es correcto, desconecte el número en la configuración del chat.',
      ),
    }),
  },
  agenda: {
    needs: ['name', 'date', 'text'],
    write: ({ name, date, text }) => ({ subject: `Agenda del ${date}`, text: lines(`Buenos días, ${name}:`, '', `${text}`) }),
  },
  time_conflicts: {
    needs: ['name', 'zone', 'text'],
    write: ({ name, zone, text }) => ({
      subject: 'Citas por revisar después del cambio de zona horaria',
      text: lines(
        `Hola, ${name}:`,
        '',
        `La zona horaria de su clínica es ahora ${zone}. Las citas conservan su hora, pero estas no pueden empezar a la suya, porque los relojes se adelantan esa noche o porque otra cita ya la ocupa:`,
        '',
        `${text}`,
        '',
        'Por favor, cámbielas a otra hora y avise a los pacientes.',
      ),
    }),
  },
  account_locked: notice(
    'Intentos de entrar a su cuenta',
    ({ clinic, at }) =>
      `El ${at}, alguien escribió varias contraseñas equivocadas para su cuenta de ${clinic}. Quien lo intente desde un lugar nuevo tendrá que esperar; en los equipos y lugares que usted ya usa puede seguir entrando.`,
  ),
  code_locked: notice(
    'Códigos equivocados para su cuenta',
    ({ clinic, at }) =>
      `El ${at}, alguien que conoce la contraseña de su cuenta de ${clinic} escribió varios códigos de verificación equivocados. Por un tiempo no se aceptan más.`,
  ),
  mfa_enabled: notice(
    'Verificación en dos pasos activada',
    ({ clinic, at }) => `El ${at} se activó la verificación en dos pasos de su cuenta de ${clinic}. Guarde los códigos de recuperación en un lugar seguro.`,
  ),
  mfa_removed: notice(
    'Verificación en dos pasos desactivada',
    ({ clinic, at }) => `El ${at} se desactivó la verificación en dos pasos de su cuenta de ${clinic}. Ahora basta la contraseña para entrar.`,
  ),
  new_device: notice(
    'Inicio de sesión en un equipo nuevo',
    ({ clinic, at, device, ip }) => `El ${at} se inició una sesión en su cuenta de ${clinic} desde un equipo nuevo: ${device}, dirección ${ip}.`,
    'device',
    'ip',
  ),
  pin_locked: notice(
    'Su PIN está bloqueado',
    ({ clinic, at }) =>
      `El ${at}, alguien escribió otra vez varios PIN equivocados para su cuenta de ${clinic}. El PIN está bloqueado por un tiempo; con su contraseña puede entrar.`,
  ),
  password_changed: notice(
    'Su contraseña cambió',
    ({ clinic, at }) => `La contraseña de su cuenta de ${clinic} cambió el ${at}. Las sesiones que estaban abiertas se cerraron y su PIN se borró.`,
  ),
  user_created: {
    needs: ['name', 'clinic', 'user', 'at'],
    write: ({ name, clinic, user, at }) => ({
      subject: `Nueva cuenta en ${clinic}`,
      text: lines(
        `Hola, ${name}:`,
        '',
        `El ${at} se creó en ${clinic} una cuenta para ${user}.`,
        '',
        'Si nadie de la clínica debía crearla, desactívela en la lista de usuarios y cambie su contraseña.',
      ),
    }),
  },
  report: {
    needs: ['name', 'clinic', 'period'],
    write: ({ name, clinic, period }) => ({
      subject: `Tablero de ${clinic}: ${period}`,
      text: lines(
        `Hola, ${name}:`,
        '',
        `Adjuntamos el tablero de ${clinic} del ${period}.`,
        '',
        'Usted recibe este correo porque lo pidió. Puede dejar de recibirlo en los informes de la clínica.',
      ),
    }),
  },
  appointment_reminder: {
    needs: ['name', 'clinic', 'appointment', 'manage'],
    write: ({ name, clinic, appointment, manage, forms }) => ({
      subject: `Su cita en ${clinic}`,
      text: lines(
        `Hola, ${name}:`,
        '',
        `Le recordamos su cita en ${clinic}:`,
        `${appointment}`,
        ...(forms ? ['', 'Antes de su cita, por favor llene y firme sus formularios desde su teléfono.', `Llenar los formularios: ${forms}`] : []),
        '',
        `Confirmar, cambiar o cancelar su cita: ${manage}`,
        '',
        'Si no puede venir, avise a la clínica, por favor.',
      ),
    }),
  },
  appointment_notice: {
    needs: ['clinic', 'text'],
    write: ({ clinic, text, manage }) => ({
      subject: `Su cita en ${clinic}`,
      text: lines(`${text}`, ...(manage ? ['', `Ver, cambiar o cancelar su cita: ${manage}`] : ['', 'Si necesita otra hora, llame o escriba a la clínica.'])),
    }),
  },
  form: {
    needs: ['name', 'clinic', 'title', 'link'],
    write: ({ name, clinic, title, link }) => ({
      subject: `${clinic}: ${title}`,
      text: lines(
        `Hola, ${name}:`,
        '',
        `${clinic} le pide llenar y firmar «${title}». Puede hacerlo desde su teléfono:`,
        '',
        `${link}`,
        '',
        'El enlace es personal: no lo comparta.',
      ),
    }),
  },
  booking_code: {
    needs: ['name', 'clinic', 'code'],
    write: ({ name, clinic, code }) => ({
      subject: `Código para su cita en ${clinic}`,
      text: lines(
        `Hola, ${name}:`,
        '',
        `Su código para confirmar la cita en ${clinic} es:`,
        '',
        `    ${code}`,
        '',
        'Es válido durante 10 minutos. Si usted no pidió una cita, ignore este correo.',
      ),
    }),
  },
  document: {
    needs: ['name', 'clinic', 'text', 'link'],
    write: ({ name, clinic, text, link }) => ({
      subject: `Documento de ${clinic}`,
      text: lines(`Hola, ${name}:`, '', `${text}`, '', `Puede verlo y descargarlo aquí: ${link}`, '', `${clinic}`),
    }),
  },
};

export const MAIL_KINDS = Object.keys(TEXTS);

/** Names of the parameters that the kind needs and that are missing. */
export function missingParameters(kind: string, parameters: Parameters): string[] {
  return (TEXTS[kind]?.needs ?? []).filter((name) => !parameters[name]);
}

export function writeMail(kind: string, parameters: Parameters): Mail {
  const text = TEXTS[kind];
  if (!text) throw new Error(`mails of kind ${kind} have no text`);
  const { subject: written, text: body } = text.write(parameters);
  // A line break in a subject would start another header.
  const subject = written.replaceAll(/\s+/g, ' ');
  const links = LINKS.flatMap((name) => parameters[name] ?? []);
  return { subject, text: body, html: toHtml(subject, body, links) };
}
