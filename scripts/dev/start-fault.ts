// A reason not to start that people can mend: shown as its one sentence, without a stack.
export class StartFault extends Error {}
