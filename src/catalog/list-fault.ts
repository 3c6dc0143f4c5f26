import type { ErrorCode } from '../canonical/error-table.ts'
import type { NoAnswer } from '../kit/net/no-answer.ts'

/** The reason why a list of models could not be read, for programs. */
export type ListFaultFact =
  | Fact<'no_answer', { readonly cause: NoAnswer }>
  | Fact<'answered_status', { readonly status: number }>
  /** `no_credential`: the credential for the request could not be obtained; the message says why. */
  | Fact<
      'no_credential' | 'too_long' | 'too_complex' | 'not_json' | 'not_a_list',
      Readonly<Record<string, never>>
    >

type Fact<Code extends string, Values> = { readonly code: Code; readonly values: Values }

/** The reason why a check of a credential failed: a fault of the list, or the code of the failure of a request. */
export type CheckFact = ListFaultFact | Fact<'failed', { readonly error: ErrorCode }>

export interface ListFault {
  /** The sentence for operators. */
  readonly message: string
  /** Undefined where the message alone says it. */
  readonly fact: ListFaultFact | undefined
}

/** Thrown where a list of models could not be read. */
export class ModelListError extends Error {
  override readonly name = 'ModelListError'
  readonly fact: ListFaultFact

  constructor(message: string, fact: ListFaultFact, options?: ErrorOptions) {
    super(message, options)
    this.fact = fact
  }
}

/** The fault with its sentence redacted. The fact has no text of a provider. */
export function redactListFault({ message, fact }: ListFault, redact: (text: string) => string): ListFault {
  return { message: redact(message), fact }
}
