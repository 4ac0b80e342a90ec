// The texts of all mails, in Spanish. Parameters are named as in SendMailRequest.
import { toHtml } from './mail-html-rules.ts';

/** A mail with its text part and its HTML part. */
export type Mail = { subject: string; text: string; html: string };
type Parameters = Record<string, string>;
/** Empty lines separate the paragraphs. */
type Written = [subject: string, ...paragraphs: string[]];
type Text = { needs: string[]; write: (parameters: Parameters) => Written };

/** The parameters that are URLs of pages. */
export const LINKS = ['link', 'manage', 'forms'];

/** A mail that greets its recipient by name. `needs`: its other parameters. */
const letter = (needs: string[], write: (parameters: Parameters) => Written): Text => ({
  needs: ['name', ...needs],
  write(parameters) {
    const [subject, ...paragraphs] = write(parameters);
    return [subject, `Hola, ${parameters.name}:`, ...paragraphs];
  },
});

/** A mail about the security of the recipient's account. */
const notice = (subject: string, sentence: (parameters: Parameters) => string, ...more: string[]): Text =>
  letter(['clinic', 'at', ...more], (parameters) => [
    subject,
    sentence(parameters),
    'Si fue usted, no haga nada. Si no, cambie su contraseña con «¿Olvidó su contraseña?» y avise a un administrador de la clínica.',
  ]);

const TEXTS: Record<string, Text> = {
  password_reset: letter(['link'], ({ link }) => [
    'Restablezca su contraseña',
    'Recibimos una solicitud para cambiar la contraseña de su cuenta. Abra este enlace, que es válido durante 30 minutos y se puede usar una sola vez:',
    `${link}`,
    'Si usted no lo pidió, no haga nada: su contraseña sigue siendo la misma.',
  ]),
  user_invited: letter(['clinic', 'link'], ({ clinic, link }) => [
    `Su cuenta en ${clinic}`,
    `${clinic} le creó una cuenta. Abra este enlace para elegir su contraseña; es válido durante 72 horas y se puede usar una sola vez:`,
    `${link}`,
    'Si ya venció, pida otro con «¿Olvidó su contraseña?».',
  ]),
  demo_accepted: letter(['clinic', 'code', 'link', 'expires'], ({ clinic, code, link, expires }) => [
    'Su clínica ya puede comenzar',
    `Aceptamos la solicitud de ${clinic}. Este es su código de invitación:`,
    `    ${code}`,
    `Regístrese con él en ${link} hasta el ${expires}.`,
    'Si tiene preguntas, responda a este correo.',
  ]),
  subscription_expiring: letter(['clinic', 'days', 'expires'], ({ clinic, days, expires }) => [
    `La suscripción de ${clinic} termina ${days === '1' ? 'en un día' : `en ${days} días`}`,
    `La suscripción de ${clinic} termina el ${expires}. A partir de entonces podrá iniciar sesión, pero no podrá trabajar hasta que la renueve.`,
    'Sus datos se conservan. Si ya la renovó, no haga nada.',
  ]),
  chat_number_lost: letter(['clinic', 'number'], ({ clinic, number }) => [
    `El número de chat de ${clinic} está conectado ahora a otra clínica`,
    `Otra clínica demostró ante el proveedor que tiene acceso al número de chat ${number}. A partir de ahora, los mensajes de ese número llegan a esa clínica y ya no a ${clinic}.`,
    'Si esto no es correcto, revise en el proveedor quién tiene acceso al número y guarde de nuevo la configuración del chat.',
  ]),
  chat_channel_failed: letter(['clinic', 'number'], ({ clinic, number }) => [
    `${clinic} ya no puede enviar mensajes de chat`,
    `El proveedor rechazó la cuenta del número de chat ${number}. Los mensajes de ${clinic} a sus pacientes esperan hasta que se corrija; los que esperan demasiado ya no se envían.`,
    'El motivo está en la configuración del chat. Corríjalo y guarde de nuevo la configuración.',
  ]),
  webhook_disabled: letter(['clinic', 'host', 'reason'], ({ clinic, host, reason }) => [
    `Se desactivó un webhook de ${clinic}`,
    reason === 'gone'
      ? `El servidor ${host} respondió que ya no desea recibir los eventos de ${clinic}, así que dejamos de enviarlos.`
      : `Ningún envío de los últimos tres días al servidor ${host} tuvo éxito, así que dejamos de enviarle los eventos de ${clinic}.`,
    'Cuando el servidor funcione, pruebe el webhook y actívelo de nuevo. Los eventos que quedaron pendientes se pueden reenviar desde la lista de envíos.',
  ]),
  chat_number_gained: letter(['clinic', 'number'], ({ clinic, number }) => [
    `El número de chat de ${clinic} estaba conectado a otra clínica`,
    `El proveedor confirmó que ${clinic} tiene acceso al número de chat ${number}, que hasta ahora estaba conectado a otra clínica. A partir de ahora, los mensajes de ese número llegan a ${clinic}.`,
    'Si esto no es correcto, desconecte el número en la configuración del chat.',
  ]),
  agenda: {
    needs: ['name', 'date', 'text'],
    write: ({ name, date, text }) => [`Agenda del ${date}`, `Buenos días, ${name}:`, `${text}`],
  },
  time_conflicts: letter(['zone', 'text'], ({ zone, text }) => [
    'Citas por revisar después del cambio de zona horaria',
    `La zona horaria de su clínica es ahora ${zone}. Las citas conservan su hora, pero estas no pueden empezar a la suya, porque los relojes se adelantan esa noche o porque otra cita ya la ocupa:`,
    `${text}`,
    'Por favor, cámbielas a otra hora y avise a los pacientes.',
  ]),
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
  user_created: letter(['clinic', 'user', 'at'], ({ clinic, user, at }) => [
    `Nueva cuenta en ${clinic}`,
    `El ${at} se creó en ${clinic} una cuenta para ${user}.`,
    'Si nadie de la clínica debía crearla, desactívela en la lista de usuarios y cambie su contraseña.',
  ]),
  report: letter(['clinic', 'period'], ({ clinic, period }) => [
    `Tablero de ${clinic}: ${period}`,
    `Adjuntamos el tablero de ${clinic} del ${period}.`,
    'Usted recibe este correo porque lo pidió. Puede dejar de recibirlo en los informes de la clínica.',
  ]),
  appointment_reminder: letter(['clinic', 'appointment', 'manage'], ({ clinic, appointment, manage, forms }) => [
    `Su cita en ${clinic}`,
    `Le recordamos su cita en ${clinic}:\n${appointment}`,
    ...(forms ? [`Antes de su cita, por favor llene y firme sus formularios desde su teléfono.\nLlenar los formularios: ${forms}`] : []),
    `Confirmar, cambiar o cancelar su cita: ${manage}`,
    'Si no puede venir, avise a la clínica, por favor.',
  ]),
  appointment_notice: {
    needs: ['clinic', 'text'],
    write: ({ clinic, text, manage }) => [
      `Su cita en ${clinic}`,
      `${text}`,
      manage ? `Ver, cambiar o cancelar su cita: ${manage}` : 'Si necesita otra hora, llame o escriba a la clínica.',
    ],
  },
  form: letter(['clinic', 'title', 'link'], ({ clinic, title, link }) => [
    `${clinic}: ${title}`,
    `${clinic} le pide llenar y firmar «${title}». Puede hacerlo desde su teléfono:`,
    `${link}`,
    'El enlace es personal: no lo comparta.',
  ]),
  // Without the name: anybody can type any text as the name, and the address of somebody else. Processes of earlier releases need it.
  booking_code: {
    needs: ['name', 'clinic', 'code'],
    write: ({ clinic, code }) => [
      `Código para su cita en ${clinic}`,
      'Hola:',
      `Su código para confirmar la cita en ${clinic} es:`,
      `    ${code}`,
      'Es válido durante 10 minutos. Si usted no pidió una cita, ignore este correo.',
    ],
  },
  document: letter(['clinic', 'text', 'link'], ({ clinic, text, link }) => [
    `Documento de ${clinic}`,
    `${text}`,
    `Puede verlo y descargarlo aquí: ${link}`,
    `${clinic}`,
  ]),
};

export const MAIL_KINDS = Object.keys(TEXTS);

/** The names of the parameters that the kind needs and that are missing or empty. */
export const missingParameters = (kind: string, parameters: Parameters) => (TEXTS[kind]?.needs ?? []).filter((name) => !parameters[name]);

export function writeMail(kind: string, parameters: Parameters): Mail {
  const text = TEXTS[kind];
  if (!text) throw new Error(`mails of kind ${kind} have no text`);
  const [written, ...paragraphs] = text.write(parameters);
  // A value may end with a full stop, as in «7:25 a. m.».
  const body = `${paragraphs.join('\n\n')}\n`.replaceAll(/(?<!\.)\.\.(?=\s)/g, '.');
  // A line break in a subject would start another header.
  const subject = written.replaceAll(/\s+/g, ' ');
  const links = LINKS.flatMap((name) => parameters[name] ?? []);
  return { subject, text: body, html: toHtml(subject, body, links) };
}
