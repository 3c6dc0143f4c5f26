/** The ways in which a call of Headgate itself gets no answer, as codes for programs. */
export const noAnswers = [
  'unknown-host',
  'refused',
  'timeout',
  'tls',
  'destination-refused',
  'proxy-refused',
  'broken',
] as const
export type NoAnswer = (typeof noAnswers)[number]

/** `fault` is the transport's code for the fault, if it is known. */
export function noAnswerOf(fault: string | undefined): NoAnswer {
  return byFault.get(fault) ?? 'broken'
}

const byFault: ReadonlyMap<string | undefined, NoAnswer> = new Map([
  ['name-unknown', 'unknown-host'],
  ['refused', 'refused'],
  ['connect-timeout', 'timeout'],
  ['tls-timeout', 'timeout'],
  ['tls', 'tls'],
  ['destination-refused', 'destination-refused'],
  ['proxy-refused', 'proxy-refused'],
])
