// Detects what a patient wants, by whole words in Spanish and English.
import { containsAny, foldPhrase, splitPhrases } from '@clinic/lib/formats/phrases.ts';
import { withoutConfirmedLater, withoutPaying } from './other-meanings.ts';

/** `late`: the patient will be late. */
export type Intent =
  | 'stop'
  | 'start'
  | 'emergency'
  | 'person'
  | 'complaint'
  | 'late'
  | 'menu'
  | 'faq'
  | 'book'
  | 'wait'
  | 'mine'
  | 'cancel'
  | 'move'
  | 'confirm'
  | 'yes'
  | 'no'
  | 'thanks';

/** The phrases of each intent, folded, in the order in which they are looked for. */
export const fold = <I extends string>(table: [intent: I, phrases: string][]) => table.map(([intent, phrases]) => ({ intent, phrases: splitPhrases(phrases) }));

/** Phrases that must be the whole message: «cancelar» alone cancels an appointment, and «baja» is also a word of other sentences. */
const WHOLE = fold<Intent>([
  ['stop', 'baja|stop|alto|salir|cancelar suscripcion|unsubscribe|baja por favor|stop please|dar de baja|desuscribir|desuscribirme'],
  ['start', 'alta|start'],
  ['yes', '1|si quiero|la quiero|si la quiero|de acuerdo|si de acuerdo|esta bien|por supuesto|como no|of course'],
  [
    'no',
    '2|no puedo|no conservarla|no quiero cancelar|no keep it|dejela asi|dejelo asi|dejala asi|dejalo asi|mejor dejela asi|mejor dejelo asi|mejor dejala asi|mejor dejalo asi|no quiero nada',
  ],
  ['thanks', 'gracias|grasias|muchas gracias|thanks|thank you|ok gracias|mil gracias|muchisimas gracias|gracias muy amable|thank you so much'],
  ['faq', 'preguntas frecuentes|preguntas|questions|faq'],
  ['menu', 'menu|inicio|ayuda|help|opciones|options|volver|atras|back|start over'],
  [
    'book',
    'cita|citas|agendar|reservar|appointment|book|book it|schedule|turno|quiero|quiero agendar|quiero una|quiero una entonces|entonces quiero una|si quiero una',
  ],
  ['cancel', 'cancelar|anular|cancel|cancel it|quiero cancelar|eliminar la cita|eliminar mi cita|quiero eliminar mi cita|quiero eliminar la cita'],
  ['move', 'cambiar|reprogramar|reagendar|mover|reschedule|change|move it'],
  ['confirm', 'confirmar|confirmo|confirmada|confirmado|confirm|ahi estare'],
  ['person', 'persona|una persona|person|a person'],
]);

/** Requests to receive no more messages, which mean nothing else. */
const OPT_OUT = splitPhrases(
  [
    'no me manden mensajes|no me manden mas|no me envien mensajes|no me envien mas|no me escriban|no me esten escribiendo|no quiero recibir mensajes',
    'darme de baja|deme de baja|denme de baja|no quiero recibir mas|no quiero recibir sus mensajes|no deseo recibir|no me interesa recibir|quiten mi numero|quite mi numero|borren mi numero|borre mi numero|eliminen mi numero|elimine mi numero|no me molesten|dejen de mandar mensajes|dejen de enviar mensajes|no manden mas mensajes|no envien mas mensajes',
    'no quiero mas mensajes|no quiero que me escriban|dejen de escribirme|dejen de mandarme|dejen de enviarme|dejen de molestar|deje de escribirme',
    'no me vuelvan a escribir|stop messaging me|stop texting me|stop sending me|do not message me|don t message me|no more messages',
  ].join('|'),
);

/** Messages that consist of such words agree: «sí, claro», «si por favor, la tomo». At least one of the first group is needed. */
const AGREEING =
  'si sip simon claro ok okay okey oki dale dele va vaya acepto aceptar perfecto correcto exacto listo sale cabal bueno excelente confirmo confirmado confirmada estare llegare enterado enterada yes yeah yep sure quiero tomo';
const AGREEING_TOO =
  'por favor porfa porfis porfavor gracias muchas mil la lo las el esta bien de acuerdo me deseo pues que con gusto ahi alla llego llegamos llegar voy vamos ire a muy amable hola buen buenos buenas dia dias tardes noches primero dios mediante quiere saludos bendiciones please thanks thank you it i want take that works';
const [YES, YES_TOO] = [AGREEING, AGREEING_TOO].map((words) => new Set(words.split(' '))) as [Set<string>, Set<string>];

const ACKNOWLEDGING = new Set('ok okay okey oki va vaya dale perfecto correcto listo cabal bueno excelente enterado enterada'.split(' '));

/** Words with which a message agrees to what it was asked for: «sí, cancélela», «agéndela por favor». */
const AGREEING_TO: Partial<Record<Intent, Set<string>>> = {
  book: new Set('agendar agende agendarla agendela agendemela agendalo reservar reservela reserve apartar apartela book schedule'.split(' ')),
  move: new Set('cambiar cambiarla cambiela cambiemela mover moverla muevala pasarla pasela reprogramar reprogramela move change reschedule'.split(' ')),
  cancel: new Set('cancelar cancelarla cancelela cancelemela cancele cancelo cancelen cancela cancelala anular anularla anulela cancel'.split(' ')),
};
const OF_APPOINTMENT = new Set([...YES, ...YES_TOO, ...'cita mi esa esta appointment my this'.split(' ')]);

/** Likewise for messages that decline; one of the first group is needed. */
const DECLINING = 'no nel nop nope nah';
const DECLINING_TOO =
  'gracias muchas mil perdon disculpe me equivoque ya mejor despues luego asi por favor porfa ahora ahorita momento el todo caso la lo quiero necesito deseo cancele cancelela cancelelo dejelo dejela olvidelo thanks thank you please i do not don t want need it anymore longer';
const [NO, NO_TOO] = [DECLINING, DECLINING_TOO].map((words) => new Set(words.split(' '))) as [Set<string>, Set<string>];

/** Phrases that refuse what was offered, within a message. */
const REFUSALS = splitPhrases(
  'no puedo|no podre|no podria|ya no|mejor no|no la quiero|no la necesito|no la voy a|no me interesa|no gracias|no me sirve|no me queda|no thanks|i can t|i cannot|not interested|no longer',
);

/** Emergencies, which are handed over to a person at once. */
const EMERGENCIES = splitPhrases(
  [
    'emergencia|urgencia|urgente|urgentemente|sangrando|sangra mucho|me sangra|le sangra|sangrado|hemorragia|no para de sangrar|no deja de sangrar|mucha sangre|me para la sangre|no para la sangre|le para la sangre|se para la sangre|salir sangre|salirme sangre|salirle sangre',
    'cara inflamada|cara hinchada|cara esta inflamada|cara esta hinchada|muy inflamada|muy inflamado|muy hinchada|muy hinchado|bien inflamada|bien inflamado|bien hinchada|bien hinchado|cachete inflamado|cachete hinchado|inflamada la cara|hinchada la cara|inflamado el cachete|hinchado el cachete|se me inflamo|se me hincho|fiebre|calentura|no aguanto|insoportable|dolor fuerte|muy fuerte|bien fuerte|mucho dolor|muchisimo dolor|dolor horrible',
    'dolor intenso|dolor terrible|muero del dolor|muero de dolor|llorando de dolor|llorando del dolor|no puedo dormir|no puedo ni dormir|no he podido dormir|no pude dormir|no me deja dormir|duele bastante',
    'no soporto el dolor|no aguanto el dolor|dolor muy fuerte|se me cayo un diente|se le cayo un diente|boto un diente|sale sangre|saliendo sangre|infeccion|infectada|infectado|estoy hinchado|estoy hinchada|esta hinchado|esta hinchada',
    'duele mucho|duele muchisimo|duele demasiado|duele un monton|duele horrible|me esta matando|no puedo abrir la boca|no puedo tragar|no puedo respirar|pus|absceso|se quebro un diente',
    'se quebro el diente|se me quebro|me quebre un diente|se le quebro|se me partio|se me salio un diente|se le salio un diente|se le aflojo|se me aflojo|muela inflamada|se golpeo|me golpee|accidente',
    'emergency|urgent|bleeding|swollen|unbearable|severe pain|terrible pain|so much pain|a lot of pain|hurts a lot|hurts so much|hurts really bad|tooth broke|tooth fell out|broken tooth|broke a tooth|broke my tooth|knocked out|can t breathe|cannot breathe',
  ].join('|'),
);
const NOT_EMERGENCIES = / (?:no es (?:una |tan )?(?:emergencia|urgencia|urgente)|not (?:an emergency|urgent)|sin urgencia)(?= )/g;

/** Phrases within a message. The first row with a match decides. */
const STRONG = fold<Intent>([
  [
    'person',
    'a una persona|con alguien|pasame a|paseme a|una persona real|persona de verdad|con una persona|con persona|con otra persona real|necesito una persona|quiero una persona|pasame con|paseme con',
  ],
  [
    'person',
    'humano|humana|asesor|asesora|agente|operador|operadora|recepcion|recepcionista|secretaria|hablar con|hablar a|comuniqueme|comunicarme|comuniquenme',
  ],
  ['person', 'me pueden llamar|me puede llamar|me podrian llamar|me podria llamar|pueden llamarme|puede llamarme|llamenme|llameme|que me llamen|que me llame'],
  [
    'person',
    'alguien me atienda|me atienda alguien|alguien que me atienda|nadie contesta|nadie me contesta|nadie responde|nadie me responde|no me contestan|no contestan|no responden',
  ],
  ['complaint', 'mierda|puta|puto|pendejo|pendeja|pendejos|idiota|idiotas|imbecil|imbeciles|estupido|estupida|estupidos|inutil|inutiles|cerote|cerotes'],
  [
    'complaint',
    'queja|quejas|quejarme|reclamo|reclamar|denuncia|denunciar|pesimo servicio|pesima atencion|mal servicio|mala atencion|libro de quejas|ladrones|estafa|estafadores',
  ],
  [
    'complaint',
    'trato mal|trataron mal|atendieron mal|atendio mal|mal trato|muy molesta|muy molesto|estoy molesta|estoy molesto|inconforme|insatisfecha|insatisfecho',
  ],
  ['complaint', 'decepcionada|decepcionado|que falta de respeto|una falta de respeto|devuelvan mi dinero|devolucion de mi dinero|reembolso'],
  ['person', 'numero equivocado|se equivoco de numero|se equivocaron de numero|wrong number'],
  // plain-words: talk is what patients type
  ['person', 'human|agent|representative|receptionist|operator|real person|talk to|speak to|speak with|talk with|call me'],
  ['complaint', 'complaint|complain'],
  ['mine', 'no quiero cancelar|no la quiero cancelar|no deseo cancelar|no voy a cancelar|do not want to cancel|don t want to cancel'],
  ['cancel', 'cancelar mis citas|cancelar todas mis citas|anular mis citas|cancel my appointments|cancel all my appointments'],
  [
    'late',
    'voy en camino|vamos en camino|ya voy para alla|estoy afuera|estamos afuera|ya llegue|ya llegamos|estoy en la clinica|estamos en la clinica|on my way|i am outside|i m outside|voy a llegar tarde|llegare tarde|llego tarde|voy tarde|me atraso|voy atrasado|voy atrasada|me voy a atrasar|llegar tarde|llegar mas tarde|llego mas tarde|llegar un poco mas tarde|minutos tarde|min tarde|un poco tarde|poquito tarde|voy retrasado|voy retrasada|running late|be late',
  ],
  ['move', 'reprogramar|reagendar|cambiar mi cita|cambiar la cita|cambiar una cita|cambiar cita|cambiarme la cita|cambiar de cita|mover mi cita|mover la cita'],
  ['move', 'pasar mi cita|pasar la cita|pasarme la cita|correr mi cita|correr la cita|adelantar mi cita|adelantar la cita|atrasar mi cita|atrasar la cita'],
  [
    'move',
    'cambiar la hora de|cambiar el dia de|cambiar la fecha de|cambiar de hora mi|cambiar de dia mi|cambiar de fecha mi|cambiar la hora a mi|otra hora para mi cita',
  ],
  ['move', 'posponer mi|posponer la cita|postergar|aplazar|cambio de cita|cambio de mi cita|cambio de hora de mi'],
  [
    'move',
    'me la cambia|me la cambian|me la puede cambiar|me la pueden cambiar|me la mueve|me la mueven|me la puede mover|me la pueden mover|me la pasa|me la pasan',
  ],
  ['move', 'cambiarla para|moverla para|quiero cambiarla|quiero moverla|la quiero cambiar|la quiero mover|puedo cambiarla|puedo moverla'],
  ['move', 'cambiela|cambiemela|cambienmela|muevala|muevamela|pasela para|pasemela|reprogramela|reprogramemela|reagendela'],
  ['move', 'reschedule|change my appointment|move my appointment|change the time of my|move it to|postpone'],
  ['book', 'no tengo cita|no tengo una cita|no tengo ninguna cita'],
  [
    'mine',
    'cuando es la cita|hora es la cita|dia es la cita|cuando era la cita|cuando tiene cita|para cuando quedo|que dia quedo|que hora quedo|no me acuerdo de mi cita|no recuerdo mi cita|no me acuerdo cuando|no recuerdo cuando',
  ],
  [
    'mine',
    'mis citas|mi cita es|ver citas|ver mi cita|es mi cita|tengo cita|mi proxima cita|hora de mi cita|fecha de mi cita|hora tengo|cuando me toca|hora me toca|dia me toca|tengo una cita',
  ],
  [
    'mine',
    'hora era mi cita|cuando era mi cita|para cuando tengo|llegar a mi cita|ir a mi cita|asistir a mi cita|llegar a la cita|ir a la cita|asistir a la cita',
  ],
  // plain-words: visits is what patients type
  ['mine', 'my appointments|my visits|my next appointment|is my appointment|do i have an appointment|make it to my appointment|come to my appointment'],
  // A person handles requests to leave the waitlist, and questions about it.
  [
    'person',
    'de la lista de espera|no quiero lista de espera|no quiero la lista de espera|no quiero estar en la lista|estoy en la lista de espera|estoy en lista de espera',
  ],
  [
    'person',
    'sigo en la lista de espera|sigo en lista de espera|cancelar lista de espera|cancelar la lista de espera|cancel the waitlist|cancel my waitlist|am i on the waitlist',
  ],
  [
    'person',
    'leave the waitlist|off the waitlist|from the waitlist|leave the waiting list|off the waiting list|from the waiting list|am i on the waiting list',
  ],
  ['wait', 'lista de espera|si se libera|cuando se libere|si se desocupa|cuando se desocupe|si se abre un cupo|si se abre un espacio|cuando haya cupo'],
  ['wait', 'cuando haya espacio|si alguien cancela|si hay una cancelacion|si hay alguna cancelacion'],
  [
    'wait',
    'waitlist|wait list|waiting list|opens up|frees up|becomes free|becomes available|if someone cancels|if somebody cancels|if there is a cancellation',
  ],
  ['cancel', 'cancelar|anular|cancelarla|cancela|cancelala|cancelamela|anulela|anulala|cancelela|cancelemela|cancelen|cancele|cancelo|cancel'],
  [
    'cancel',
    'ya no quiero la cita|ya no quiero mi cita|ya no quiero esa cita|ya no necesito la cita|ya no necesito mi cita|quitar mi cita|quiten mi cita|ya no voy a ir',
  ],
  ['cancel', 'ya no voy a llegar|ya no podre ir|ya no podre llegar|borrar mi cita|eliminar mi cita|desmarcar mi cita'],
  [
    'mine',
    'hora puedo confirmar|hora les puedo confirmar|cuando puedo confirmar|cuando le puedo confirmar|cuando les puedo confirmar|confirmar la hora|confirmar a que hora',
  ],
  [
    'thanks',
    'confirmar con mi|confirmar en mi|confirmar mas tarde|confirmar luego|confirmar despues|mas tarde confirmo|luego confirmo|despues confirmo|confirmo mas tarde|confirmo luego|confirmo despues|confirmo cuando|confirm later|confirm with my',
  ],
  [
    'thanks',
    'despues les confirmo|luego les confirmo|les confirmo despues|les confirmo luego|mas tarde les confirmo|les confirmo mas tarde|ya les confirmo|ahorita les confirmo|manana les confirmo|les confirmo cuando',
  ],
  ['thanks', 'despues le confirmo|luego le confirmo|le confirmo despues|le confirmo luego|mas tarde le confirmo|le confirmo mas tarde|le aviso'],
  [
    'thanks',
    'ya le confirmo|ahorita le confirmo|ahora le confirmo|hoy le confirmo|manana le confirmo|le confirmo ahorita|le confirmo manana|le confirmo en|le confirmo cuando',
  ],
  [
    'thanks',
    'dejeme ver|dejeme revisar|dejeme consultar|dejeme preguntar|dejeme pensarlo|nos vemos|hasta manana|see you|lo voy a pensar|tengo que ver|let me check|let me think|i will confirm later',
  ],
  [
    'confirm',
    'confirmar mi cita|confirmar la cita|confirmar mi asistencia|confirmar la asistencia|confirmar asistencia|confirmar que si|confirmar que voy|confirmar que asistire',
  ],
  [
    'confirm',
    'confirmo mi cita|confirmo la cita|confirmo mi asistencia|confirmo la asistencia|confirmo asistencia|confirmo que si|confirmo que voy|confirmo que asistire',
  ],
  [
    'thanks',
    'le puedo confirmar|les puedo confirmar|tengo que confirmar|tenemos que confirmar|debo confirmar|dejeme confirmar|permitame confirmar|y le confirmo|y les confirmo|yo le confirmo',
  ],
  ['confirm', 'confirmar|confirmo|confirmada|confirmado|confirmamos|confirm'],
  [
    'confirm',
    'ahi estare|ahi estaremos|ahi voy a estar|alla estare|alla estaremos|cuente conmigo|cuenten conmigo|si asistire|si llegare|si voy a llegar|si voy a ir',
  ],
  [
    'book',
    'quiero cita|quisiera cita|necesito cita|deseo cita|ocupo cita|deseo una cita|ocupo una cita|dar una cita|darme una cita|dar cita|darme cita|deme una cita|agenda una cita',
  ],
  [
    'book',
    'agendar|agendarme|reservar|quiero una cita|quisiera una cita|necesito una cita|sacar cita|sacar una cita|pedir cita|hacer una cita|quiero mi cita|quisiera mi cita|necesito mi cita|sacar mi cita|hacer mi cita|programar mi cita|nueva cita|otra cita',
  ],
  ['mine', 'mi cita para|mi cita el|mi cita con|mi cita hoy|mi cita manana'],
  ['book', 'cita con|cita para|cita el|cita hoy|cita manana|agendeme|agendame|reserveme|reservame|apartar|apartarme|aparteme|apartame'],
  ['book', 'me agenda|me agende|me agendas|me agendan|me reserva|me reserve|me reservas|me reservan|me aparta|me aparte|me apartas|me apartan'],
  [
    'book',
    'espacio hoy|espacio para hoy|espacio manana|espacio para manana|espacio esta semana|espacio para esta semana|espacio el|espacio para el|pasar consulta',
  ],
  ['book', 'book|make an appointment|an appointment|new appointment|schedule'],
]);

/** Phrases of a patient with an appointment; while a question is open, they are about that question. */
const UNASKED = fold<Intent>([
  [
    'mine',
    'no puedo ir|no puedo llegar|no puedo asistir|no podre ir|no podre llegar|no podre asistir|no voy a poder|no voy a ir|no voy a llegar|no puedo manana',
  ],
  ['mine', 'no llego|no llegare|no llegaremos|no asistire|no asistiremos|no ire|no iremos'],
  ['mine', 'no puedo hoy|no podria ir|no podria llegar|ya no puedo|ya no podre|can t make it|cannot make it|can t come|cannot come|won t make it'],
  [
    'move',
    'puede adelantar|pueden adelantar|podria adelantar|adelantarla|atrasarla|llegar mas temprano|llegar antes|cambiar la hora|cambiar de hora|cambiar el dia|cambiar de dia|cambiar la fecha|cambiar de fecha|cambiar el horario|cambiarla|pasarla para|moverla|posponer|para otro dia|otro dia por favor|mejor otro dia',
  ],
]);

/** Phrases that decide only if no FAQ of the clinic matches. */
const WEAK = fold<Intent>([
  ['mine', 'mi cita|my appointment'],
  ['book', 'cita|citas|sita|sitas|turno|cupo|cupos|espacio|espacios|disponibilidad|disponible|appointment|appointments|availability|openings'],
  [
    'book',
    'me puede atender|me pueden atender|me podria atender|me podrian atender|me atiende|me atienden|que me atienda|que me atiendan|atenderme|me puede ver|me pueden ver',
  ],
  ['book', 'otra para|otra mas para|tambien para|ahora para|hora tiene|horas tiene|hora tendria|horas tendria'],
  [
    'book',
    'me duele|le duele|tengo dolor|tiene dolor|dolor de muela|dolor de muelas|dolor de diente|se me cayo|se me salio|se me despego|se me zafo|se me safo|se me solto|se me descalzo|tooth hurts|toothache|have pain',
  ],
  [
    'menu',
    'do you speak|speak english|eres un robot|sos un robot|es un robot|es un bot|eres un bot|sos un bot|usted un bot|usted un robot|quien eres|quien sos|con quien hablo|are you a bot|are you a robot',
  ],
  ['menu', 'hola|buenas|buenos dias|buenas tardes|buenas noches|buen dia|saludos|menu|ayuda'],
  ['menu', 'hello|hi|hey|good morning|good afternoon|good evening|help'],
  ['thanks', 'gracias|thanks|thank you|bendiciones|hasta luego|hasta pronto|adios|bye|feliz navidad|feliz dia|feliz tarde|feliz noche'],
]);

/** «Déjela así»: an appointment stays as it is. */
export const leavesAsIs = (words: string) => / dej[ae]l[ao] asi $/.test(words);

const ANY_DOCTOR = splitPhrases(
  'cualquiera|el que tenga|la que tenga|quien tenga|primero que tenga|primera que tenga|doctor que tenga|doctora que tenga|dentista que tenga|alguien que tenga|alguno que tenga|alguna que tenga|uno que tenga|cualquier doctor|cualquier doctora|el que sea|la que sea|quien sea|con quien haya|quien este libre|me da igual|me da lo mismo|no importa|el que este|whoever|anyone|anybody|any doctor|no preference|does not matter|doesn t matter',
);

/** Words of a question about prices and the like, which asks for no appointment: «¿cuánto cuesta una cita?». */
const ASKING = splitPhrases(
  'cuanto|cuanta|cuantos|a como|precio|precios|cuesta|cuestan|costo|costos|que vale|valor|cobran|aceptan|reciben|how much|price|prices|cost|do you accept|do you take|que servicios|hacen|realizan|ponen|colocan|factura|recibo|mi receta|saldo|constancia|mi expediente|mis radiografias|mis examenes|pagar|hacer un pago|le llego|les llego|numero de cuenta|cuenta bancaria|atienden ninos|atienden a ninos',
);
const NOT_ASKING = / cuanto antes(?= )/g;
const PRICES = splitPhrases(
  'cuanto cuesta|cuanto cuestan|cuanto vale|cuanto valen|cuanto sale|cuanto cobra|cuanto cobran|cuanto me cobra|cuanto me cobran|a como|que precio|precio|precios|costo|costos|how much|price|prices',
);

/** Whole messages that abandon the current question. */
const ABANDON = fold<Intent>([
  [
    'cancel',
    'cancelar|cancel|ya no|olvidelo|dejelo|nada|forget it|never mind|no gracias|no thanks|no ya no|mejor no|mejor ya no|no quiero|ya no quiero|no mejor no|no no|nada gracias|ya no gracias|no muchas gracias|mejor despues|mejor no gracias|mejor no cancelela|no cancelela',
  ],
]);

type Phrases = ReturnType<typeof fold<Intent>>;
const equalTo = (words: string, table: Phrases) => table.find(({ phrases }) => phrases.includes(words))?.intent;
const containedIn = (words: string, table: Phrases) => table.find(({ phrases }) => containsAny(words, phrases))?.intent;

/** `siii` and `nooo` count as `si` and `no`. */
const consistsOf = (words: string, needed: Set<string>, allowed: Set<string>) => {
  const all = words.trim().split(' ');
  const isIn = (set: Set<string>, word: string) => set.has(word) || (word.length < 20 && set.has(word.replace(/(.)\1+$/, '$1')));
  return all.some((word) => isIn(needed, word)) && all.every((word) => isIn(needed, word) || isIn(allowed, word));
};

/** What the whole message means. `words` as foldPhrase() returns them, here and below. */
export function wholeIntent(words: string): Intent | undefined {
  const intent = equalTo(words, WHOLE) ?? (containsAny(words, OPT_OUT) ? 'stop' : undefined);
  if (intent || words === '') return intent;
  return consistsOf(words, YES, YES_TOO) ? 'yes' : consistsOf(words, NO, NO_TOO) ? 'no' : undefined;
}
export function strongIntent(words: string): Intent | undefined {
  const intent = containedIn(withoutConfirmedLater(withoutPaying(words)), STRONG);
  // «Aún no puedo confirmar» confirms nothing.
  return intent === 'confirm' && words.includes(' no ') ? 'mine' : intent;
}
export const unaskedIntent = (words: string): Intent | undefined => containedIn(words, UNASKED);
export const weakIntent = (words: string): Intent | undefined => containedIn(words, WEAK);

export const isEmergency = (words: string): boolean => containsAny(words.replaceAll(NOT_EMERGENCIES, ''), EMERGENCIES);
/** «Ok», «vaya pues»: acknowledges what was said. */
export const isAcknowledgement = (words: string): boolean => wholeIntent(words) === 'yes' && consistsOf(words, ACKNOWLEDGING, YES_TOO);
export const isRefusal = (words: string): boolean => containsAny(words, REFUSALS);
export const isAnyDoctor = (words: string): boolean => containsAny(words, ANY_DOCTOR);
export const asksForFacts = (words: string): boolean => containsAny(withoutPaying(words).replaceAll(NOT_ASKING, ''), ASKING);
export const asksForPrice = (words: string): boolean => containsAny(words, PRICES);

const ATTENDING =
  / (?:estare|estaremos|estar|llegare|llego|llegamos|llegar|asistire|asistencia|ire|voy|vamos|cuenten?|cita|appointment|attendance|attend|coming)(?= )/;

/** Whether a message that agrees or confirms says that the patient will attend: «ahí estaré», «confirmo mi cita». */
export const willAttend = (words: string): boolean => ATTENDING.test(words) && !/ (?:no|cancel\p{L}*|anul\p{L}*) /u.test(words);

/**
 * Whether a message agrees to the current question, which asks whether to do what is `wanted`: «sí», «confirmo la cancelación», or the intent
 * itself, also after a yes: «sí, cancelar».
 */
export function agreesTo(wanted: Intent, words: string): boolean {
  if (words.includes(' no ')) return false;
  const meant = [wholeIntent(words), wholeIntent(words.replace(/^ (?:si|yes)(?= .)/, ''))];
  const agreeing = AGREEING_TO[wanted];
  const repeats = agreeing !== undefined && consistsOf(words, agreeing, OF_APPOINTMENT);
  if (wanted === 'cancel' && !repeats && willAttend(words)) return false;
  return repeats || meant.some((intent) => intent === 'yes' || intent === wanted) || strongIntent(words) === 'confirm';
}

/** Whether a message is only one of the weak phrases, such as «buenas noches». */
export const isGreeting = (words: string): boolean => equalTo(words, WEAK) !== undefined;
export const isAbandoning = (words: string): boolean => equalTo(words, ABANDON) !== undefined;

const PREFERENCES = new Map<string, 'stop' | 'start'>([
  ['marketing:stop', 'stop'],
  ['marketing:resume', 'start'],
  ['marketing:signup', 'start'],
]);

/** Whether a message opts out of recalls, or in again: BAJA, ALTA or the like, or a choice about promotional messages made at the provider. */
export function recallChoice(type: string, { text = '', choice }: { text?: string; choice?: { id: string } }): 'stop' | 'start' | undefined {
  if (type === 'preference') return PREFERENCES.get(choice?.id ?? '');
  const intent = type === 'text' ? wholeIntent(foldPhrase(text)) : undefined;
  return intent === 'stop' || intent === 'start' ? intent : undefined;
}
