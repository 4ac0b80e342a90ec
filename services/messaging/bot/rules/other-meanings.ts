// Phrases that contain the words of an intent and mean something else. They are removed before the intent is looked for.

/** «Cancelar» is also said for to pay: «¿puedo cancelar con tarjeta?», «¿cuánto se cancela por la limpieza?», but not «en cuanto a mi cita». */
const PAYING = new RegExp(
  ` (?:${[
    String.raw`(?<! en )cuanto(?! tiempo | antes )(?: (?!(?:siento|lamento|pero|mejor|quiero|quisiera|deseo) )\p{L}+){0,5} cancel\p{L}*`,
    String.raw`cancel\p{L}* (?:(?:con|en|por|de) )?(?:(?:el|la|los|las|mi|mis|una?|varios|varias|dos|tres|\d+) ){0,2}(?:tarjetas?|efectivo|cheque|transferencia|deposito|credito|debito|bitcoin|dolares|cuotas?|pagos?|abonos?|partes|saldo|factura|deuda|monto|mensualidad)`,
    String.raw`cancel\p{L}* (?:lo que debo|lo pendiente)`,
  ].join('|')})(?= )(?! (?:mi|mis|la|una|esta) citas? )`,
  'gu',
);
export const withoutPaying = (words: string) => words.replaceAll(PAYING, ' pagar');

/** What is to be confirmed, if the message says that this happens later: «confirmar mi cita más tarde». */
const CONFIRMED_LATER =
  /(?<= confirm(?:ar|o|amos)) (?:(?:mi|la) )?(?:cita|asistencia)(?= (?:mas tarde|luego|despues|cuando|en mi|con mi (?!doctor|dentista|odontolog)\p{L}+) |(?<= puedo confirmar (?:\p{L}+ )?\p{L}+) manana )/gu;
export const withoutConfirmedLater = (words: string) => words.replaceAll(CONFIRMED_LATER, '');
