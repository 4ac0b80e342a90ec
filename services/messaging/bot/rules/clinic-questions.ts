// Questions about the clinic itself: its address, phone, opening hours and doctors.
import { containsAny } from '@clinic/lib/formats/phrases.ts';
import { fold } from './intents.ts';

export type ClinicQuestion = 'address' | 'phone' | 'hours' | 'doctors';

/** Questions about the clinic itself, answered from its profile and its doctors if no FAQ matches. */
const ABOUT_CLINIC = fold<ClinicQuestion>([
  [
    'address',
    'direccion|donde estan|donde quedan|donde queda|donde es|ubicacion|ubicados|ubicado|hubicados|hubicado|como llego|como llegar|address|where are you|location',
  ],
  [
    'phone',
    'telefono|telefonos|numero de telefono|numero de la clinica|numero del consultorio|numero para llamar|a que numero|su numero|whatsapp de|phone number|your number',
  ],
  [
    'hours',
    'que dias atiende|que dias trabaja|a que hora atiende|hasta que hora atiende|horario|horarios|a que hora abren|a que hora cierran|que hora abren|que hora cierran|hasta que hora|desde que hora|que dias abren|que dias atienden|abren|cierran',
  ],
  [
    'hours',
    'atienden los|atienden el|atienden hoy|atienden manana|atienden sabados|atienden domingos|atienden sabado|atienden domingo|estan abiertos|abierto|opening hours|your hours|what time do you open|what time do you close|are you open',
  ],
  [
    'hours',
    'que hora atienden|trabajan los|trabajan el|trabajan hoy|trabajan manana|trabajan sabados|trabajan domingos|do you open|do you close|when are you open|office hours|business hours|atiende los|atiende sabados|atiende domingos',
  ],
  [
    'doctors',
    'que doctores|que doctoras|que dentistas|que odontologos|que especialistas|cuales doctores|cuales doctoras|cuales son los doctores|cuales son sus doctores|quienes son los doctores|quienes son sus doctores|quienes son las doctoras|quienes son los dentistas|quien es el doctor|quien es la doctora|quien es el dentista',
  ],
  [
    'doctors',
    'que doctor atiende|que doctora atiende|que doctor tienen|que doctor tiene|que doctora tienen|que doctora tiene|que doctor hay|que doctora hay|que doctor es|que dentista atiende|quien atiende|quienes atienden|quien me atiende|quien me atenderia|quien me va a atender|como se llama el doctor|como se llama la doctora|como se llaman los doctores|como se llaman las doctoras|nombre del doctor|nombre de la doctora|nombre de los doctores|nombres de los doctores',
  ],
  [
    'doctors',
    'which doctors|what doctors|which dentists|what dentists|who are the doctors|who are your doctors|who is the doctor|who is the dentist|names of the doctors',
  ],
]);

/** `words` as foldPhrase() returns them. */
export const clinicIntent = (words: string): ClinicQuestion | undefined => ABOUT_CLINIC.find(({ phrases }) => containsAny(words, phrases))?.intent;
