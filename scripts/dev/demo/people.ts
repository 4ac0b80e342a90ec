// Fictitious patients.
import type { Random } from '../../random.ts';

const WOMEN = ['Ana Cecilia', 'Beatriz', 'Claudia Lorena', 'Doris', 'Evelyn', 'Fátima', 'Glenda', 'Ingrid', 'Jacqueline', 'Lorena', 'Marta Alicia', 'Roxana'];
const MEN = ['Alejandro', 'Boris', 'Carlos Mauricio', 'David', 'Edwin', 'Fernando', 'Guillermo', 'Hugo', 'Jorge Alberto', 'Manuel', 'Nelson', 'Wilfredo'];
const SURNAMES = ['Aguirre', 'Bonilla', 'Campos', 'Deras', 'Erazo', 'Funes', 'Grande', 'Henríquez', 'Iraheta', 'Lemus', 'Molina', 'Novoa', 'Portillo', 'Reyes'];

export const NEW_PHONES = Array.from({ length: 76 }, (_, index) => `+5037100${1000 + index * 37}`);

export type Person = { name: string; gender: string; birthDate: string; phone: string };

export function people(random: Random): Person[] {
  return NEW_PHONES.map((phone, index) => {
    const isWoman = index % 2 === 0;
    const name = `${random.pick(isWoman ? WOMEN : MEN)} ${random.pick(SURNAMES)} ${random.pick(SURNAMES)}`;
    const birthDate = `${1950 + random.below(56)}-${String(1 + random.below(12)).padStart(2, '0')}-${String(1 + random.below(28)).padStart(2, '0')}`;
    return { name, gender: isWoman ? 'female' : 'male', birthDate, phone };
  });
}
