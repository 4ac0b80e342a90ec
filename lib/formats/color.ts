// Colors of the calendar.

/** #RRGGBB in capital or small letters. */
export const COLOR = /^#[0-9A-Fa-f]{6}$/;
