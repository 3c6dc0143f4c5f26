import { createFailure, type Failure } from '../../canonical/failure.ts'
import type { Loss } from '../../canonical/loss.ts'
import { type Choice, isCutOff } from '../../canonical/reply.ts'

/**
 * The failure of an answer that asks for a tool call with an input that the caller's format could only make up, which
 * an agent would run. Undefined for other answers. If the answer says that it was cut off, it is shown up to there:
 * either its call is left out, or clients do not run it.
 */
export function findBrokenCall(
  { choices }: { readonly choices: readonly Pick<Choice, 'stopReason'>[] },
  losses: readonly Loss[],
): Failure | undefined {
  const isMadeUp = losses.some(({ feature }) => feature === 'tool-input')
  if (!isMadeUp || choices.every(({ stopReason }) => isCutOff(stopReason))) return undefined
  return createFailure('upstream_bad_response', {
    message: 'The model provider sent a tool call whose arguments are not a JSON object.',
  })
}
