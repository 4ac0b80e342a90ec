// A reason why the product cannot start, which its user can correct: only the message is shown, without a stack.
export class StartFault extends Error {}
