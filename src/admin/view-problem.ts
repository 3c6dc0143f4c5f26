import { GatewayError } from '../canonical/failure.ts'
import { factOf, type InputFact } from '../kit/schema/input-fact.ts'
import { type ProblemFact, problemFactSchema } from './problem-contract.ts'

interface DescribedProblem {
  readonly message: string
  readonly fact?: InputFact | undefined
}

/** The fact of a problem in the contract's own type. */
export function viewFact(problem: DescribedProblem): ProblemFact | undefined {
  const fact = factOf(problem)
  return fact === undefined ? undefined : problemFactSchema.parse(fact)
}

interface WrongField {
  readonly param: string
  readonly message: string
  readonly fact: InputFact
}

/** The error for a field that no schema can prove invalid, with its fact. */
export function refuseField(
  code: 'invalid_field' | 'missing_field',
  { param, message, fact }: WrongField,
): GatewayError {
  return new GatewayError(code, { param, message, problems: [{ path: param, message, fact }] })
}
