import { createFailure, type Failure } from '../../canonical/failure.ts'
import type { Loss } from '../../canonical/loss.ts'
import type { Choice } from '../../canonical/reply.ts'

/**
 * The failure of an answer that asks for a tool call with an input that the caller's format could only make up, which
 * an agent would run. Undefined for other answers. If the answer was cut off by its length limit, no client runs the
 * call.
 */
export function findBrokenCall(
  { choices }: { readonly choices: readonly Pick<Choice, 'stopReason'>[] },
  losses: readonly Loss[],
): Failure | undefined {
  const isMadeUp = losses.some(({ feature }) => feature === 'tool-input')
  if (!isMadeUp || !choices.some(({ stopReason }) => stopReason === 'tool-calls')) return undefined
  return createFailure('upstream_bad_response', {
    message: 'The model provider sent a tool call whose arguments are not a JSON object.',
  })
}
